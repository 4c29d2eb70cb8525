// Asks Forsooth's gate what it thinks of what happens in opencode. Node's own library only.
// Whatever goes wrong here lets opencode go on. The end of a turn cannot be refused, only told of.

import { spawn } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const HERE = dirname(fileURLToPath(import.meta.url))
const GATE = join(HERE, "hooks", "forsooth-hook")
const SERVER = '@server@'
const COMMANDS = '@commands@'
const MILLISECONDS = 10_000
const JUDGING = 3_600_000
const UNWATCHED = new Set([
  "read", "grep", "glob", "list", "lsp", "webfetch", "websearch", "codesearch", "todoread",
  "todowrite", "skill",
])

function ask(event, payload, cwd) {
  return new Promise((resolve) => {
    let said = ""
    const quiet = () => resolve({})
    try {
      // opencode marks all it starts as its agent's; this is started by opencode itself.
      const env = { ...process.env, AI_AGENT: "opencode_harness" }
      const stdio = ["pipe", "pipe", "ignore"]
      const child = spawn(GATE, ["opencode", event], { cwd, env, stdio })
      setTimeout(() => { child.kill("SIGKILL"); quiet() }, MILLISECONDS).unref()
      child.on("error", quiet)
      child.stdin.on("error", () => {})
      child.stdout.on("data", (chunk) => { said += chunk })
      child.on("close", () => {
        try { resolve(JSON.parse(said) ?? {}) } catch { quiet() }
      })
      child.stdin.end(JSON.stringify({ ...payload, cwd, hook_event_name: event }))
    } catch { quiet() }
  })
}

export const Forsooth = async ({ client, directory }) => {
  const context = new Map()
  const parents = new Map()
  const begin = async (id, source) => {
    const answer = await ask("session_start", { session_id: id, source }, directory)
    context.set(id, { start: answer.context ?? "", prompt: "" })
  }
  const known = async (id) => {
    if (!context.has(id)) await begin(id, "startup")
    return context.get(id)
  }
  // Whoever prompts a session that an agent started is an agent; so is one who cannot be told.
  const agent = async (id) => {
    try {
      if (!parents.has(id)) {
        const { data } = await client.session.get({ path: { id } })
        parents.set(id, data.parentID ?? "")
      }
      return parents.get(id)
    } catch { return "unknown" }
  }
  const shown = async (message, duration) => {
    const body = { title: "Forsooth", message, variant: "warning", duration }
    await client.tui.showToast({ body }).catch(() => {})
  }
  const told = async (id) => {
    const { start, prompt } = await known(id)
    return [start, prompt].filter(Boolean)
  }

  return {
    config: async (config) => {
      config.command = { ...COMMANDS, ...config.command }
      config.skills = { ...config.skills }
      config.skills.paths = [...(config.skills.paths ?? []), join(HERE, "skills")]
      if (!SERVER) return
      const server = { type: "local", command: SERVER, enabled: true, timeout: JUDGING }
      config.mcp = { forsooth: server, ...config.mcp }
    },
    "chat.message": async ({ sessionID }, { parts }) => {
      const prompt = parts.filter((one) => one.type === "text").map((one) => one.text).join("\n")
      const asked = { session_id: sessionID, agent_id: await agent(sessionID), prompt }
      const answer = await ask("prompt", asked, directory)
      const session = await known(sessionID)
      session.prompt = answer.context ?? ""
      if (!answer.show) return
      session.prompt = "Forsooth shows the person the draft. Nothing is sealed yet: stop and wait."
      await shown(answer.show, 120_000)
    },
    "experimental.chat.system.transform": async ({ sessionID }, output) => {
      if (sessionID) output.system.push(...(await told(sessionID)))
    },
    "experimental.session.compacting": async ({ sessionID }, output) => {
      await begin(sessionID, "compact")
      output.context.push(...(await told(sessionID)))
    },
    "tool.execute.before": async ({ tool, sessionID }, { args }) => {
      if (UNWATCHED.has(tool)) return
      const call = { session_id: sessionID, tool_name: tool, tool_input: args }
      const { deny } = await ask("pre_tool", call, directory)
      if (deny) throw new Error(deny)
    },
    event: async ({ event }) => {
      const { info, sessionID: id } = event.properties ?? {}
      if (event.type === "session.created" && info) parents.set(info.id, info.parentID ?? "")
      if (event.type !== "session.idle" || !id) return
      const { context: message } = await ask("stop", { session_id: id }, directory)
      if (!message) return
      await shown(message)
    },
  }
}
