import { signingCurl } from "@countersign/ui/triggers/signing-curl"
import { spawnSync } from "node:child_process"
import { createHmac } from "node:crypto"
import { expect, test } from "vitest"

const secret = `whsec_${Buffer.from("a secret of a trigger, 32 bytes.").toString("base64")}`
const body = { text: "it's $HOME `id` \"quoted\"", list: [1, 2] }

/** Runs the script with a curl that prints its arguments. */
const sent = (require_timestamp: boolean): ReadonlyArray<string> => {
  const script = signingCurl({ fire_url: "https://hub.example/api/v1/triggers/trg_1/fire", require_timestamp, body })
  const { status, stdout } = spawnSync("sh", ["-c", `curl() { printf '%s\\n' "$@"; }\n${script}`], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], TRIGGER_SECRET: secret }
  })
  expect(status).toBe(0)
  return stdout.trimEnd().split("\n")
}

const header = (lines: ReadonlyArray<string>, name: string): string =>
  lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ""

test("signs the body that it sends with the text of the secret", () => {
  const lines = sent(false)
  expect(lines.at(-1)).toBe(JSON.stringify(body))
  expect(header(lines, "X-Svc-Signature")).toBe(
    `sha256=${createHmac("sha256", secret).update(JSON.stringify(body)).digest("hex")}`
  )
})

test("signs as Standard Webhooks where the timestamp must be signed", () => {
  const lines = sent(true)
  const [id, timestamp] = [header(lines, "webhook-id"), header(lines, "webhook-timestamp")]
  const key = Buffer.from(secret.slice("whsec_".length), "base64")
  expect(header(lines, "webhook-signature")).toBe(
    `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${JSON.stringify(body)}`).digest("base64")}`
  )
})
