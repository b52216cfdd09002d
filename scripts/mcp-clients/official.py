"""Holds a conversation with the official client for Python: once with a handshake, and once in the stateless revision.

The client checks every result against the protocol, and structured results against the schemas of their tools.
"""

import asyncio

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from conversation import HEADERS, MARKER, URL, EventExtension, converse, events_by_poll_and_push, value_of


async def checks(client, inbox, message):
    tools = {tool.name for tool in (await client.list_tools()).tools}
    assert {"send_email", "get_message", "create_draft"} <= tools and len(tools) <= 15, tools
    wrong = await client.call_tool("get_message", {"message_id": 7})
    assert wrong.is_error and "must be a string" in wrong.content[0].text
    resources = (await client.list_resources()).resources
    assert any(resource.name == inbox["address"] for resource in resources), resources
    read = await client.read_resource(f"message://{message['id']}")
    assert read.contents[0].text.startswith(MARKER)
    prompt = await client.get_prompt("triage", {"inbox": inbox["address"]})
    assert inbox["address"] in prompt.messages[0].content.text


async def main():
    for mode in ("legacy", "auto"):
        extension = EventExtension()
        async with httpx2.AsyncClient(headers=HEADERS, timeout=90) as http:
            transport = streamable_http_client(f"{URL}/mcp", http_client=http)
            async with Client(transport, mode=mode, extensions=[extension]) as client:

                async def call(name, **arguments):
                    result = await client.call_tool(name, arguments)
                    text = result.content[0].text
                    assert not result.is_error, f"{name}: {text}"
                    value = value_of(text)
                    assert result.structured_content in (None, value), name
                    return value

                inbox, message = await converse(call, f"python-{mode}")
                await checks(client, inbox, message)
                await events_by_poll_and_push(client.session, extension, inbox)
        print(f"mcp-clients: a conversation with Python `mcp`, mode {mode}, events by poll and push")


asyncio.run(main())
