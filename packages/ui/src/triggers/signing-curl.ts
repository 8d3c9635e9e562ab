/** A signed delivery as a shell script. The secret is a variable: the hub shows it once. Pure. */
import { quoted } from "../requests/curl.ts"

export interface Delivery {
  readonly fire_url: string
  /** Only Standard Webhooks headers, whose timestamp is signed, pass. */
  readonly require_timestamp: boolean
  readonly body: unknown
}

/** For a POSIX shell with openssl. The body is signed as it is sent, byte for byte. */
export const signingCurl = ({ body, fire_url, require_timestamp }: Delivery): string =>
  [
    `body=${quoted(JSON.stringify(body))}`,
    ...require_timestamp
      ? [
        `id="msg_$(date +%s)_$$"`,
        `timestamp="$(date +%s)"`,
        `key="$(printf %s "\${TRIGGER_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \\n')"`,
        `signature="$(printf %s "$id.$timestamp.$body" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)"`
      ]
      : [
        `signature="$(printf %s "$body" | openssl dgst -sha256 -hmac "$TRIGGER_SECRET" | sed 's/^.* //')"`
      ],
    [
      `curl -sS ${quoted(fire_url)}`,
      `  -H 'content-type: application/json'`,
      ...require_timestamp
        ? [
          `  -H "webhook-id: $id"`,
          `  -H "webhook-timestamp: $timestamp"`,
          `  -H "webhook-signature: v1,$signature"`
        ]
        : [
          `  -H "X-Svc-Delivery: $(date +%s)-$$"`,
          `  -H "X-Svc-Signature: sha256=$signature"`
        ],
      `  --data-binary "$body"`
    ].join(" \\\n")
  ].join("\n")
