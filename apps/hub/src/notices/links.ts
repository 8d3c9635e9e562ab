/**
 * Signed links of mails and browser notices: `/go/<token>` opens one screen of the console. A token is no credential:
 * it signs nobody in and decides nothing. Pure. Spec: reference/notices.md "Links".
 */
import type { OrgId } from "@countersign/domain/ids"
import { linkDays } from "@countersign/domain/notice-events"
import { createHmac, timingSafeEqual } from "node:crypto"

/** The screens that a link opens, by the letter in its token. */
const letters = {
  approval: "a",
  agent_request: "q",
  agent: "g",
  run: "r",
  app: "p",
  webhook_endpoint: "w",
  settings: "s"
} as const
export type ScreenKind = keyof typeof letters

const kinds = new Map(Object.entries(letters).map(([kind, letter]) => [letter as string, kind as ScreenKind]))

export interface Target {
  readonly kind: ScreenKind
  readonly org: OrgId
  readonly id: string
}

interface Link extends Target {
  /** Seconds since 1970. */
  readonly expires: number
}

/** 192 bits: with the ids, the token stays below the router's limit of 100 characters. */
const macBytes = 24
const expiryDigits = 7
const linkSeconds = linkDays * 86_400

export const linkKey = (masterKey: Uint8Array): Uint8Array =>
  createHmac("sha256", masterKey).update("countersign links of mails 1").digest()

const macOf = (key: Uint8Array, text: string): Buffer =>
  createHmac("sha256", key).update(text).digest().subarray(0, macBytes)

const suffixOf = (id: string): string => id.slice(id.indexOf("_") + 1)

export const signLink = (key: Uint8Array, { expires, id, kind, org }: Link): string => {
  const text = letters[kind] + suffixOf(org) + suffixOf(id) + expires.toString(36).padStart(expiryDigits, "0")
  return text + macOf(key, text).toString("base64url")
}

/** The path of a link from now on. */
export const linkPath = (key: Uint8Array, target: Target, now: Date): string =>
  `/go/${signLink(key, { ...target, expires: Math.floor(now.getTime() / 1_000) + linkSeconds })}`

const pattern = /^([a-z])([0-9a-z]{26})([0-9a-z]{26})([0-9a-z]{7})[A-Za-z0-9_-]{32}$/

/** The link of an authentic token, expired or not. */
export const readLink = (key: Uint8Array, token: string): Link | undefined => {
  const [, letter, org, id, expires] = pattern.exec(token) ?? []
  const kind = letter === undefined ? undefined : kinds.get(letter)
  if (kind === undefined || org === undefined || id === undefined || expires === undefined) return undefined
  const signed = token.slice(0, -macBytes * 4 / 3)
  if (!timingSafeEqual(Buffer.from(token.slice(signed.length), "base64url"), macOf(key, signed))) return undefined
  return { kind, org: `org_${org}`, id, expires: Number.parseInt(expires, 36) }
}

/** The console's address of a screen; `id` without its prefix. */
export const screenPath = ({ id, kind, org }: Target): string => {
  const workspace = `/w/${org}`
  switch (kind) {
    case "approval":
      return `${workspace}/approvals/apr_${id}`
    case "agent_request":
      return `${workspace}/inbox?open=arq_${id}`
    case "agent":
      return `${workspace}/agents/agt_${id}`
    case "run":
      return `${workspace}/workflow-runs/run_${id}`
    case "app":
      return `${workspace}/apps?app=app_${id}`
    case "webhook_endpoint":
      return `${workspace}/settings/webhooks/whk_${id}`
    case "settings":
      return `${workspace}/settings/notifications`
  }
}
