"""What the conversations of the Python clients share: the API, mail, and the events of MCP by poll and push.

A conversation creates an inbox, waits for a mail, reads it, replies, drafts an answer that is approved over the API, and gets
a code. `call` calls a tool and returns the value of its result.
"""

import asyncio
import json
import os
import urllib.request
from typing import Any, Literal

from mcp.client.extension import ClientExtension, NotificationBinding
from mcp_types import Request, Result
from pydantic import BaseModel

URL, KEY = os.environ["POSTHOUSE_URL"], os.environ["POSTHOUSE_KEY"]
HEADERS = {"Authorization": f"Bearer {KEY}"}
MARKER = "UNTRUSTED MESSAGE CONTENT"
# How long an event may take, in seconds.
EVENT_WITHIN = 30


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


def value_of(text):
    """Returns the value in the text of a result, without its fence."""
    if text.startswith(MARKER):
        text = text.split("\n", 2)[2].rsplit("\n", 1)[0]
    return json.loads(text)


async def converse(call, username):
    """Holds the conversation. Returns the inbox and the message that arrived."""
    inbox = await call("create_inbox", username=username)
    waiting = asyncio.create_task(call("wait_for_email", inbox_id=inbox["id"], since="2020-01-01T00:00:00Z"))
    inject(inbox["address"], "ada@example.com", f"Order of {username}", "When will my lamps come?")
    message = await waiting
    assert message["extracted_text"].startswith("When will my lamps come?"), message
    assert (await call("get_message", message_id=message["id"]))["id"] == message["id"]
    reply = await call("reply_to_email", inbox_id=inbox["id"], message_id=message["id"], text="On Thursday.")
    assert reply["thread_id"] == message["thread_id"]
    draft = await call(
        "create_draft", inbox_id=inbox["id"], reply_to_message_id=message["id"], text="They are on their way."
    )
    path = f"/v1/inboxes/{inbox['id']}/drafts/{draft['id']}/approve"
    api("POST", path, {"content_sha256": draft["content_sha256"]})
    assert (await call("get_draft", inbox_id=inbox["id"], draft_id=draft["id"]))["status"] == "sent"
    # Mail from outside isn't proven here, because no DNS server answers.
    shop = await call("create_inbox", username=f"{username}-shop")
    text = "Your verification code is 482913."
    await call("send_email", inbox_id=shop["id"], to=inbox["address"], subject="Your code", text=text)
    code = await call("get_verification_code", inbox_id=inbox["id"], since="2020-01-01T00:00:00Z")
    assert code["code"] == "482913", code
    return inbox, message


class Poll(Request[dict[str, Any], Literal["events/poll"]]):
    method: Literal["events/poll"] = "events/poll"


class Push(Request[dict[str, Any], Literal["events/stream"]]):
    method: Literal["events/stream"] = "events/stream"


class Page(Result):
    events: list[dict[str, Any]]
    cursor: str
    truncated: bool
    hasMore: bool


class Occurrence(BaseModel):
    eventId: str
    name: str
    cursor: str


class Started(BaseModel):
    cursor: str


class EventExtension(ClientExtension):
    """The extension with the events, as far as the push mode needs it."""

    identifier = "io.modelcontextprotocol/events"

    def __init__(self):
        self.started, self.received = asyncio.Event(), asyncio.Queue()

    async def start(self, _):
        self.started.set()

    def notifications(self):
        bind = NotificationBinding
        return [
            bind(method="notifications/events/active", params_type=Started, handler=self.start),
            bind(method="notifications/events/event", params_type=Occurrence, handler=self.received.put),
        ]


async def events_by_poll_and_push(session, extension, inbox):
    """Gets the same event by poll and by push. `session` is that of the official client."""
    wanted = {"name": "message.received", "arguments": {"inbox_id": inbox["id"], "payload": "envelope"}}
    begin = (await session.send_request(Poll(params={**wanted, "maxEvents": 100}), Page)).cursor
    streaming = asyncio.create_task(session.send_request(Push(params={**wanted, "cursor": begin}), Result))
    async with asyncio.timeout(EVENT_WITHIN):
        await extension.started.wait()
        inject(inbox["address"], "ada@example.com", f"Event of {inbox['id']}", "Is it still on its way?")
        pushed = await extension.received.get()
    streaming.cancel()
    page = await session.send_request(Poll(params={**wanted, "cursor": begin}), Page)
    assert [event["eventId"] for event in page.events] == [pushed.eventId], (page, pushed)
    assert page.cursor >= pushed.cursor and not page.truncated, page
