"""Holds a whole conversation over MCP with the official client: once with a handshake, and once in the stateless revision.

It creates an inbox, waits for a mail, reads it, replies, drafts an answer that is approved over the API, and gets a code. The
client checks every result against the protocol, and structured results against the schemas of their tools.
"""

import asyncio
import json
import os
import urllib.request

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

URL, KEY = os.environ["POSTHOUSE_URL"], os.environ["POSTHOUSE_KEY"]
HEADERS = {"Authorization": f"Bearer {KEY}"}
MARKER = "UNTRUSTED MESSAGE CONTENT"


def api(method, path, body=None):
    data = json.dumps(body).encode() if body is not None else None
    headers = {**HEADERS, "Content-Type": "application/json"}
    request = urllib.request.Request(URL + path, data, headers, method=method)
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def inject(to, sender, subject, text):
    mail = f"From: {sender}\r\nTo: {to}\r\nSubject: {subject}\r\nMessage-ID: <{subject.replace(' ', '-')}@test>\r\n\r\n{text}\r\n"
    request = urllib.request.Request(f"{URL}/dev/inbound", mail.encode(), {"Content-Type": "message/rfc822"})
    urllib.request.urlopen(request).close()


async def call(client, name, **arguments):
    result = await client.call_tool(name, arguments)
    text = result.content[0].text
    assert not result.is_error, f"{name}: {text}"
    if text.startswith(MARKER):
        text = text.split("\n", 2)[2].rsplit("\n", 1)[0]
    value = json.loads(text)
    assert result.structured_content in (None, value), name
    return value


async def converse(client, username):
    tools = {tool.name for tool in (await client.list_tools()).tools}
    assert {"send_email", "get_message", "create_draft"} <= tools and len(tools) <= 15, tools
    inbox = await call(client, "create_inbox", username=username)
    waiting = asyncio.create_task(call(client, "wait_for_email", inbox_id=inbox["id"], since="2020-01-01T00:00:00Z"))
    inject(inbox["address"], "ada@example.com", f"Order of {username}", "When will my lamps come?")
    message = await waiting
    assert message["extracted_text"].startswith("When will my lamps come?"), message
    assert (await call(client, "get_message", message_id=message["id"]))["id"] == message["id"]
    reply = await call(client, "reply_to_email", inbox_id=inbox["id"], message_id=message["id"], text="On Thursday.")
    assert reply["thread_id"] == message["thread_id"]
    draft = await call(
        client, "create_draft", inbox_id=inbox["id"], reply_to_message_id=message["id"], text="They are on their way."
    )
    path = f"/v1/inboxes/{inbox['id']}/drafts/{draft['id']}/approve"
    api("POST", path, {"content_sha256": draft["content_sha256"]})
    assert (await call(client, "get_draft", inbox_id=inbox["id"], draft_id=draft["id"]))["status"] == "sent"
    # Mail from outside isn't proven here, because no DNS server answers.
    shop = await call(client, "create_inbox", username=f"{username}-shop")
    text = "Your verification code is 482913."
    await call(client, "send_email", inbox_id=shop["id"], to=inbox["address"], subject="Your code", text=text)
    code = await call(client, "get_verification_code", inbox_id=inbox["id"], since="2020-01-01T00:00:00Z")
    assert code["code"] == "482913", code
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
        async with httpx2.AsyncClient(headers=HEADERS, timeout=90) as http:
            async with Client(streamable_http_client(f"{URL}/mcp", http_client=http), mode=mode) as client:
                await converse(client, f"python-{mode}")
        print(f"mcp-clients: a conversation with Python `mcp`, mode {mode}")


asyncio.run(main())
