/** A chat whose agent has answered, for screenshots. */
import type { Ask } from "./example-fleet.ts"

const message = [
  "#script",
  "think The price list has two desks, and one of them is sold out.",
  "say The **oak desk** is available:",
  "say ",
  "say - width 160 cm",
  "say - delivery within five days",
  "usage 1842 96 1200"
].join("\n")

/** Returns the id of the session. */
export const makeExampleChat = async (ask: Ask): Promise<string> => {
  const { id } = await ask("POST", "/chat/sessions", { body: { title: "A desk for Lea", model: "offline/echo" } }) as {
    readonly id: string
  }
  await ask("POST", "/chat/turn", { body: { session_id: id, message } })
  return id
}
