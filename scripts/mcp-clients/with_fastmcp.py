"""Holds a conversation with FastMCP."""

import asyncio

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

from conversation import HEADERS, URL, EventExtension, converse, events_by_poll_and_push, value_of


async def main():
    extension = EventExtension()
    transport = StreamableHttpTransport(f"{URL}/mcp", headers=HEADERS)
    async with Client(transport, extensions=[extension], timeout=90) as client:

        async def call(name, **arguments):
            result = await client.call_tool(name, arguments)
            value = value_of(result.content[0].text)
            assert result.structured_content in (None, value), name
            return value

        inbox, _ = await converse(call, "fastmcp")
        await events_by_poll_and_push(client.session, extension, inbox)
    print("mcp-clients: a conversation with `fastmcp`, events by poll and push")


asyncio.run(main())
