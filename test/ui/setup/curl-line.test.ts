import { curlLine, unknownKey } from "@countersign/ui/setup/curl-line.ts"
import { spawnSync } from "node:child_process"
import { expect, it } from "vitest"

/** The arguments that a shell passes to `curl`. */
const argumentsOf = (line: string, env: Readonly<Record<string, string>> = {}): ReadonlyArray<string> => {
  const script = `curl() { for each in "$@"; do printf '%s\\0' "$each"; done; }\n${line}`
  const { status, stderr, stdout } = spawnSync("/bin/sh", ["-c", script], {
    encoding: "utf8",
    env: { PATH: "/usr/bin:/bin", ...env }
  })
  expect(status, stderr).toBe(0)
  return stdout.split("\0").slice(0, -1)
}

const line = {
  url: "http://127.0.0.1:4780/api/v1/service-requests",
  key: "agent_key_live_x",
  service: "echo",
  operation: "say"
}

it("a shell reads the command correctly, whatever the payload contains", () => {
  const payload = { text: "it's $HOME `id` \\ \"quoted\" ‮ !! %s\n", deep: ["'", { "'": "''" }] }
  const args = argumentsOf(curlLine({ ...line, payload }))
  expect(args).toEqual([
    "-s",
    line.url,
    "-H",
    "authorization: Bearer agent_key_live_x",
    "-H",
    "content-type: application/json",
    "-d",
    JSON.stringify({ service: "echo", operation: "say", payload })
  ])
})

it("an unknown key comes from the environment", () => {
  const args = argumentsOf(curlLine({ ...line, key: unknownKey, payload: {} }), { AGENT_KEY: "agent_key_live_y" })
  expect(args).toContain("authorization: Bearer agent_key_live_y")
})

it("an address with shell characters is quoted", () => {
  const url = "http://127.0.0.1/a(b)&c/api/v1/service-requests"
  expect(argumentsOf(curlLine({ ...line, url, payload: {} }))[1]).toBe(url)
})
