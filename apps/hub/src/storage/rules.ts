/** Decisions about objects: names of blobs, signed tokens, content that browsers may show, ranges. Pure. */
import type { OrgId } from "@countersign/domain/ids"
import { createHmac, timingSafeEqual } from "node:crypto"

/** The upload of an object, until it is verified. */
export const uploadName = (org: OrgId, object: string, upload: string): string => `tmp/${org}/${object}/${upload}`

/** The verified bytes of an object. */
export const finalName = (org: OrgId, object: string, generation: number): string => `o/${org}/${object}/${generation}`

export interface BlobName {
  readonly area: "tmp" | "o"
  readonly org: OrgId
  readonly object: string
  /** The upload's name, or the generation. */
  readonly last: string
}

const namePattern = /^(tmp|o)\/(org_[0-9a-z]{26})\/(obj_[0-9a-z]{26})\/([A-Za-z0-9_-]{1,64})$/

/** The parts of a name that the hub wrote; undefined for any other text. */
export const parseBlobName = (name: string): BlobName | undefined => {
  const [, area, org, object, last] = namePattern.exec(name) ?? []
  return area === undefined || org === undefined || object === undefined || last === undefined
    ? undefined
    : { area: area as BlobName["area"], org: org as OrgId, object, last }
}

/** `write`: one upload. `read`: shown if its type allows it. `save`: always saved as a file. */
export type Purpose = "write" | "read" | "save"
const letters: Readonly<Record<Purpose, string>> = { write: "w", read: "r", save: "s" }
const purposes: Readonly<Record<string, Purpose>> = { w: "write", r: "read", s: "save" }

export interface Grant {
  readonly purpose: Purpose
  readonly org: OrgId
  readonly object: string
  /** Seconds since 1970. */
  readonly expires: number
}

/** 192 bits: with the ids, the token stays below the router's limit of 100 characters. */
const macBytes = 24
const expiryDigits = 7

export const tokenKey = (masterKey: Uint8Array): Uint8Array =>
  createHmac("sha256", masterKey).update("countersign storage urls 1").digest()

const macOf = (key: Uint8Array, text: string): Buffer =>
  createHmac("sha256", key).update(text).digest().subarray(0, macBytes)

const suffixOf = (id: string): string => id.slice(id.indexOf("_") + 1)

/** One object, one purpose, until the expiry. */
export const signGrant = (key: Uint8Array, { expires, object, org, purpose }: Grant): string => {
  const text = letters[purpose] + suffixOf(org) + suffixOf(object) + expires.toString(36).padStart(expiryDigits, "0")
  return text + macOf(key, text).toString("base64url")
}

const tokenPattern = /^([wrs])([0-9a-z]{26})([0-9a-z]{26})([0-9a-z]{7})[A-Za-z0-9_-]{32}$/

/** The grant of an authentic token, expired or not. */
export const readGrant = (key: Uint8Array, token: string): Grant | undefined => {
  const [, letter, org, object, expires] = tokenPattern.exec(token) ?? []
  if (letter === undefined || org === undefined || object === undefined || expires === undefined) return undefined
  const signed = token.slice(0, -macBytes * 4 / 3)
  if (!timingSafeEqual(Buffer.from(token.slice(signed.length), "base64url"), macOf(key, signed))) return undefined
  return {
    purpose: purposes[letter]!,
    org: `org_${org}`,
    object: `obj_${object}`,
    expires: Number.parseInt(expires, 36)
  }
}

const shownTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "text/plain"])

const essenceOf = (contentType: string): string => contentType.split(";", 1)[0]!.trim().toLowerCase()

/** Types that a browser may show: none of them runs scripts. */
export const isShown = (contentType: string): boolean => {
  const essence = essenceOf(contentType)
  return shownTypes.has(essence) || essence.startsWith("audio/") || essence.startsWith("video/")
}

/** The type as it is sent: text without a character set is UTF-8. */
export const sentType = (contentType: string): string =>
  essenceOf(contentType) === "text/plain" && !/;\s*charset=/i.test(contentType)
    ? "text/plain; charset=utf-8"
    : contentType

/** `content-disposition` (RFC 6266), with the last segment of the key as the name. */
export const dispositionOf = (key: string, contentType: string, purpose: Purpose): string => {
  const name = key.slice(key.lastIndexOf("/") + 1)
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, "_")
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  const kind = purpose === "read" && isShown(contentType) ? "inline" : "attachment"
  return `${kind}; filename="${ascii}"${ascii === name ? "" : `; filename*=UTF-8''${encoded}`}`
}

/** On every answer with an object's bytes. */
export const blobHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "accept-ranges": "bytes",
  "cache-control": "private, no-cache"
}

export interface ByteRange {
  /** Both inclusive. */
  readonly start: number
  readonly end: number
}

/** A single range of `Range`; `whole` without one, and for forms that are ignored (RFC 9110, 14.2). */
export const rangeOf = (header: string | undefined, size: number): ByteRange | "whole" | "unsatisfiable" => {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "") ?? []
  if (first === "" && last === "") return "whole"
  if (first === "") {
    const length = Math.min(Number(last), size)
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  if (last !== "" && Number(last) < start) return "whole"
  return start >= size ? "unsatisfiable" : { start, end: last === "" ? size - 1 : Math.min(Number(last), size - 1) }
}

/** The first text after all texts that begin with a prefix; undefined if there is none. */
export const afterPrefix = (prefix: string): string | undefined => {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!)
  while (points.length > 0) {
    const last = points.pop()!
    if (last === 0x10ffff) continue
    points.push(last === 0xd7ff ? 0xe000 : last + 1)
    return String.fromCodePoint(...points)
  }
  return undefined
}

export interface Bucket {
  readonly bucket: string
  readonly publicEndpoint: URL
  readonly pathStyle: boolean
}

/** The origin of a bucket's signed URLs. */
export const bucketOrigin = ({ bucket, pathStyle, publicEndpoint }: Bucket): string =>
  pathStyle ? publicEndpoint.origin : `${publicEndpoint.protocol}//${bucket}.${publicEndpoint.host}`
