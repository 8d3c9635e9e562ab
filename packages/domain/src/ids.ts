/**
 * Ids: TypeIDs, a prefix and a UUIDv7 in base32 (`req_01j…`), sortable by creation. Spec: reference/conventions.md
 * "Ids".
 */
import { Schema } from "effect"
import { matching } from "./pattern.ts"

const base32 = "0123456789abcdefghjkmnpqrstvwxyz"

/** 26 characters of Crockford base32; the first holds three bits. */
export const idSuffixPattern = "[0-7][0-9a-hjkmnp-tv-z]{25}"

export const idPattern = (prefix: string): RegExp => new RegExp(`^${prefix}_${idSuffixPattern}$`, "u")

const id = <const P extends string>(prefix: P) =>
  Schema.TemplateLiteral([`${prefix}_`, Schema.String]).check(
    matching(idPattern(prefix), `an id that begins with ${prefix}_`)
  ).annotate({ description: `TypeID with prefix ${prefix}_` })

/** Present in every supported runtime: Node, browsers, Electron. */
declare const crypto: { getRandomValues(array: Uint8Array): Uint8Array }

export const OrgId = id("org")
export type OrgId = typeof OrgId.Type
export const UserId = id("usr")
export type UserId = typeof UserId.Type
export const TeamId = id("team")
export type TeamId = typeof TeamId.Type
export const AgentId = id("agt")
export type AgentId = typeof AgentId.Type
export const KeyId = id("key")
export type KeyId = typeof KeyId.Type
export const ServiceRequestId = id("req")
export type ServiceRequestId = typeof ServiceRequestId.Type
/** For texts of callers: every other text names no request. */
export const isServiceRequestId = Schema.is(ServiceRequestId)
export const ApprovalId = id("apr")
export type ApprovalId = typeof ApprovalId.Type
export const AuditId = id("aud")
export type AuditId = typeof AuditId.Type
export const UsageId = id("use")
export type UsageId = typeof UsageId.Type
export const LedgerEntryId = id("led")
export type LedgerEntryId = typeof LedgerEntryId.Type
export const TokenId = id("pat")
export type TokenId = typeof TokenId.Type
export const SessionId = id("ses")
export type SessionId = typeof SessionId.Type
export const FactorId = id("fac")
export type FactorId = typeof FactorId.Type
export const StandingApprovalId = id("sta")
export type StandingApprovalId = typeof StandingApprovalId.Type
export const PolicyId = id("pol")
export type PolicyId = typeof PolicyId.Type

export const DelegatedTaskId = id("dlg")
export type DelegatedTaskId = typeof DelegatedTaskId.Type

/** The position of a stream of events. */
export const EventId = id("evt")

export const InviteId = id("inv")
export type InviteId = typeof InviteId.Type

export const NoticeId = id("ntc")
export type NoticeId = typeof NoticeId.Type
export const MailId = id("mal")
export type MailId = typeof MailId.Type
export const PushSubscriptionId = id("psh")
export type PushSubscriptionId = typeof PushSubscriptionId.Type

export const ViewId = id("viw")
export type ViewId = typeof ViewId.Type
export const FavoriteId = id("fav")
export type FavoriteId = typeof FavoriteId.Type
export const BudgetRequestId = id("brq")
export type BudgetRequestId = typeof BudgetRequestId.Type
export const PromoCodeId = id("prm")
export type PromoCodeId = typeof PromoCodeId.Type
export const PaymentId = id("pay")
export type PaymentId = typeof PaymentId.Type

export const AgentRequestId = id("arq")
export type AgentRequestId = typeof AgentRequestId.Type

export const SkillProposalId = id("skp")
export type SkillProposalId = typeof SkillProposalId.Type

export const ConversationId = id("cnv")
export type ConversationId = typeof ConversationId.Type
export const MessageId = id("msg")
export type MessageId = typeof MessageId.Type

export const MemoryId = id("mem")
export type MemoryId = typeof MemoryId.Type

export const AppId = id("app")
export type AppId = typeof AppId.Type

export const PublishRequestId = id("pbr")
export type PublishRequestId = typeof PublishRequestId.Type
export const PublicationId = id("pub")
export type PublicationId = typeof PublicationId.Type

export const StorageObjectId = id("obj")
export type StorageObjectId = typeof StorageObjectId.Type

export const CollectionId = id("col")
export type CollectionId = typeof CollectionId.Type
export const DocumentId = id("doc")
export type DocumentId = typeof DocumentId.Type

export const DeviceId = id("dev")
export type DeviceId = typeof DeviceId.Type
export const DeviceSessionId = id("dss")
export type DeviceSessionId = typeof DeviceSessionId.Type
export const DeviceCommandId = id("cmd")
export type DeviceCommandId = typeof DeviceCommandId.Type

export const WorkflowId = id("wfl")
export type WorkflowId = typeof WorkflowId.Type
export const WorkflowVersionId = id("wfv")
export type WorkflowVersionId = typeof WorkflowVersionId.Type
export const WorkflowTemplateId = id("tpl")
export type WorkflowTemplateId = typeof WorkflowTemplateId.Type
export const WorkflowRunId = id("run")
export type WorkflowRunId = typeof WorkflowRunId.Type
export const RunStepId = id("stp")
export type RunStepId = typeof RunStepId.Type
export const ScheduleId = id("sch")
export type ScheduleId = typeof ScheduleId.Type
export const ScheduleRunId = id("srn")
export type ScheduleRunId = typeof ScheduleRunId.Type
export const TriggerId = id("trg")
export type TriggerId = typeof TriggerId.Type
export const DeliveryId = id("dlv")
export type DeliveryId = typeof DeliveryId.Type
export const WebhookEndpointId = id("whk")
export type WebhookEndpointId = typeof WebhookEndpointId.Type

export const ChatSessionId = id("cht")
export type ChatSessionId = typeof ChatSessionId.Type
export const ChatTurnId = id("trn")
export type ChatTurnId = typeof ChatTurnId.Type
export const ArtifactId = id("art")
export type ArtifactId = typeof ArtifactId.Type
export const NoticeChannelId = id("ncn")
export type NoticeChannelId = typeof NoticeChannelId.Type
export const MessengerLinkId = id("mac")
export type MessengerLinkId = typeof MessengerLinkId.Type

export type Prefix =
  | "app"
  | "org"
  | "usr"
  | "agt"
  | "key"
  | "bnd"
  | "req"
  | "apr"
  | "aud"
  | "use"
  | "led"
  | "pat"
  | "ses"
  | "fac"
  | "sta"
  | "pol"
  | "evt"
  | "dlg"
  | "dev"
  | "dss"
  | "cmd"
  | "viw"
  | "ntc"
  | "mal"
  | "psh"
  | "fav"
  | "brq"
  | "arq"
  | "skp"
  | "cnv"
  | "msg"
  | "mem"
  | "pbr"
  | "pub"
  | "team"
  | "inv"
  | "prm"
  | "pay"
  | "obj"
  | "col"
  | "doc"
  | "wfl"
  | "wfv"
  | "tpl"
  | "run"
  | "stp"
  | "sch"
  | "srn"
  | "trg"
  | "whk"
  | "dlv"
  | "cht"
  | "trn"
  | "art"
  | "ncn"
  | "ntm"
  | "mac"

/** Encodes 16 bytes as the 26 characters after a prefix. */
const encodeSuffix = (bytes: Uint8Array): string => {
  let out = base32[bytes[0]! >> 5]! + base32[bytes[0]! & 31]!
  for (let at = 1; at < 16; at += 5) {
    const a = bytes[at]!, b = bytes[at + 1]!, c = bytes[at + 2]!, d = bytes[at + 3]!, e = bytes[at + 4]!
    out += base32[a >> 3]! + base32[(a & 7) << 2 | b >> 6]! + base32[b >> 1 & 31]! + base32[(b & 1) << 4 | c >> 4]! +
      base32[(c & 15) << 1 | d >> 7]! + base32[d >> 2 & 31]! + base32[(d & 3) << 3 | e >> 5]! + base32[e & 31]!
  }
  return out
}

const pool = new Uint8Array(4096)
let poolAt = pool.length
let lastMillis = 0
let counter = 0

/**
 * A larger step back means that the clock was wrong before: new ids then follow the clock instead of keeping the wrong
 * time.
 */
const stepBackMillisMax = 300_000

/**
 * Id bounds for a search by stored time are widened by this much. The hub takes the time in an id from its own clock,
 * before the database stores the row with its time; only the row's time decides a match.
 */
export const idSlackMillis = 86_400_000

/**
 * A new id. The ids of one process rise strictly within a millisecond and when its clock steps back by up to five
 * minutes: the twelve bits after the time count up (RFC 9562, method 1), and the time runs ahead once they are used up.
 */
export const newId = <const P extends Prefix>(prefix: P): `${P}_${string}` => {
  const now = Date.now()
  if (poolAt + 10 > pool.length) {
    crypto.getRandomValues(pool)
    poolAt = 0
  }
  if (now > lastMillis || now < lastMillis - stepBackMillisMax) {
    lastMillis = now
    counter = (pool[poolAt]! << 8 | pool[poolAt + 1]!) & 0x7ff
  } else if (++counter > 0xfff) {
    lastMillis++
    counter = 0
  }
  const bytes = new Uint8Array(16)
  writeMillis(bytes, lastMillis)
  bytes[6] = 0x70 | counter >> 8
  bytes[7] = counter & 0xff
  bytes.set(pool.subarray(poolAt + 2, poolAt + 10), 8)
  bytes[8] = 0x80 | bytes[8]! & 0x3f
  poolAt += 10
  return `${prefix}_${encodeSuffix(bytes)}`
}

const writeMillis = (bytes: Uint8Array, millis: number): void => {
  const high = Math.floor(millis / 0x100000000)
  bytes[0] = high >> 8 & 0xff
  bytes[1] = high & 0xff
  bytes[2] = millis >>> 24 & 0xff
  bytes[3] = millis >>> 16 & 0xff
  bytes[4] = millis >>> 8 & 0xff
  bytes[5] = millis & 0xff
}

/** The smallest id of a prefix made at or after `millis`: a bound for ranges and partitions. */
export const idFloor = <const P extends Prefix>(prefix: P, millis: number): `${P}_${string}` => {
  const bytes = new Uint8Array(16)
  writeMillis(bytes, Math.max(0, millis))
  return `${prefix}_${encodeSuffix(bytes)}`
}

/** The milliseconds since 1970 that an id carries. */
export const idMillis = (id: string): number => {
  const suffix = id.slice(id.indexOf("_") + 1)
  let millis = 0
  for (let at = 0; at < 10; at++) millis = millis * 32 + base32.indexOf(suffix[at]!)
  return millis
}

/** The same UUID under another prefix: a request's usage record is `use_` of its id. */
export const withPrefix = <const P extends Prefix>(prefix: P, id: string): `${P}_${string}` =>
  `${prefix}_${id.slice(id.indexOf("_") + 1)}`
