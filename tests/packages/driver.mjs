// Plays opencode: loads the plugin named on the command line and does what standard input lists.
const [, , index] = process.argv
const { Forsooth } = await import(index)
const toasts = []
const tui = { showToast: async ({ body }) => { toasts.push(body.message) } }
const session = {
  get: async ({ path: { id } }) => {
    if (id === "lost") throw new Error("not found")
    return { data: { id, ...(id === "child" && { parentID: "s1" }) } }
  },
}
const hooks = await Forsooth({ client: { tui, session }, directory: process.cwd() })
let given = ""
for await (const part of process.stdin) given += part
const ends = []
for (const [name, input, output] of JSON.parse(given)) {
  try {
    if (name === "config") await hooks.config(output)
    else if (name === "event") await hooks.event(input)
    else await hooks[name](input, output)
    ends.push({ output })
  } catch (error) {
    ends.push({ error: error.message })
  }
}
console.log(JSON.stringify({ ends, toasts }))
