// The official TypeScript SDK, speaking to the real program: plays `steps.json` and prints what it was told, as JSON.
//
//   node client.mjs STEPS stdio PROGRAM [ARGUMENT...]
//   node client.mjs STEPS http URL KEY
import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [steps, way, where, ...rest] = process.argv.slice(2);
const transport =
    way === 'stdio'
        ? new StdioClientTransport({ command: where, args: rest, env: process.env })
        : new StreamableHTTPClientTransport(new URL(where), {
              requestInit: { headers: { Authorization: `Bearer ${rest[0]}` } },
          });

const taken = {};
const filled = (value) =>
    JSON.parse(JSON.stringify(value), (_, one) => (taken[one?.slice?.(1)] && one[0] === '$' ? taken[one.slice(1)] : one));

const client = new Client({ name: 'check', version: '1' });
await client.connect(transport);
const { name, version: _, title } = client.getServerVersion();
const { tools } = await client.listTools();
const { resources } = await client.listResources();
const { resourceTemplates } = await client.listResourceTemplates();
const told = [
    { server: { name, title }, instructions: client.getInstructions(), capabilities: client.getServerCapabilities() },
    { tools: tools.map(({ name, title, annotations }) => ({ name, title, annotations })) },
    { resources, resourceTemplates },
];
for (const step of JSON.parse(readFileSync(steps, 'utf8'))) {
    const asked = filled({ name: step.tool ?? step.cancel, arguments: step.arguments });
    try {
        if (step.read) {
            const { contents } = await client.readResource({ uri: step.read });
            told.push({ read: step.read, contents });
        } else if (step.cancel) {
            const stop = new AbortController();
            const call = client.callTool(asked, undefined, { signal: stop.signal });
            setTimeout(() => stop.abort('the user went on'), 0);
            // A call that was answered first is no failure of either side, and not what is tried here.
            told.push({ cancel: step.cancel, ended: await call.then(() => 'ended', () => 'ended') });
        } else {
            const { content, structuredContent, isError } = await client.callTool(asked);
            told.push({ tool: step.tool, arguments: step.arguments, content, structuredContent, isError });
            for (const [key, path] of Object.entries(step.take ?? {})) {
                taken[key] = path.reduce((value, part) => value[part], structuredContent);
            }
        }
    } catch (error) {
        if (error.code === undefined) throw error;
        told.push({ ...step, error: error.code });
    }
}
await client.close();
console.log(JSON.stringify(told));
