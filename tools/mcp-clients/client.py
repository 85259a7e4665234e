"""The official Python SDK, speaking to the real program: plays `steps.json` and prints what it was told, as JSON.

    python client.py STEPS MODE stdio PROGRAM [ARGUMENT...]
    python client.py STEPS MODE http URL KEY

MODE is `legacy` for the handshake of the older revisions, or `auto` for the newest, which has none.
"""

import json
import os
import sys

import anyio
import httpx2
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

REVISIONS = {"legacy": "2025-11-25", "auto": "2026-07-28"}


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def filled(value, taken):
    if isinstance(value, dict):
        return {key: filled(one, taken) for key, one in value.items()}
    if isinstance(value, list):
        return [filled(one, taken) for one in value]
    return taken.get(value[1:], value) if isinstance(value, str) and value.startswith("$") else value


async def play(client, mode, steps):
    if client.protocol_version != REVISIONS[mode]:
        sys.exit(f"error: {mode} led to {client.protocol_version}")
    tools = (await client.list_tools()).tools
    info = client.server_info
    told = [
        {
            "server": {"name": info.name, "title": info.title},
            "instructions": client.instructions,
            "capabilities": plain(client.server_capabilities),
        },
        {"tools": [{"name": one.name, "title": one.title, "annotations": plain(one.annotations)} for one in tools]},
        {
            "resources": [plain(one) for one in (await client.list_resources()).resources],
            "resourceTemplates": [plain(one) for one in (await client.list_resource_templates()).resource_templates],
        },
    ]
    taken = {}
    for step in steps:
        arguments = filled(step.get("arguments", {}), taken)
        try:
            if "read" in step:
                read = plain(await client.read_resource(step["read"]))
                told.append({"read": step["read"], "contents": read["contents"]})
            elif "cancel" in step:
                async with anyio.create_task_group() as group:
                    group.start_soon(client.call_tool, step["cancel"], arguments)
                    await anyio.sleep(0)
                    group.cancel_scope.cancel()
                told.append({"cancel": step["cancel"], "ended": "ended"})
            else:
                answer = plain(await client.call_tool(step["tool"], arguments))
                parts = {key: answer.get(key) for key in ("content", "structuredContent", "isError")}
                told.append({"tool": step["tool"], "arguments": step["arguments"], **parts})
                for key, path in step.get("take", {}).items():
                    value = answer["structuredContent"]
                    for part in path:
                        value = value[part]
                    taken[key] = value
        except MCPError as error:
            told.append({**step, "error": error.error.code})
    return told


async def main():
    steps, mode, way, where, *rest = sys.argv[1:]
    with open(steps, encoding="utf-8") as file:
        steps = json.load(file)
    if way == "stdio":
        async with Client(StdioServerParameters(command=where, args=rest, env=dict(os.environ)), mode=mode) as client:
            told = await play(client, mode, steps)
    else:
        headers = {"Authorization": f"Bearer {rest[0]}"}
        async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
            async with Client(streamable_http_client(where, http_client=http), mode=mode) as client:
                told = await play(client, mode, steps)
    print(json.dumps(told))


anyio.run(main)
