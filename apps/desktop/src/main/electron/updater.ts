/**
 * electron-updater behind the port of `updates.ts`, loaded with the first check of a feed. Its session refuses plain
 * HTTP, also after redirects. Spec: reference/desktop.md "E15: updates".
 */
import type { AppUpdater, CancellationToken } from "electron-updater"
import type { KeyObject } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import type { UpdateObstacle } from "../../bridge/this-computer.ts"
import { checkSignature, readUpdateKey } from "../updates/signature.ts"
import type { Offer, Updater } from "../updates/updates.ts"

/** electron-updater's `autoUpdater`. */
export interface UpdaterLibrary extends
  Pick<
    AppUpdater,
    | "allowDowngrade"
    | "autoDownload"
    | "autoInstallOnAppQuit"
    | "checkForUpdates"
    | "disableWebInstaller"
    | "downloadUpdate"
    | "logger"
    | "netSession"
    | "on"
    | "quitAndInstall"
    | "setFeedURL"
  >
{}

export interface UpdaterParts {
  readonly app: {
    readonly isPackaged: boolean
    readonly getVersion: () => string
    /** Called so that the new app, which starts before the old one has ended, does not count as a second instance. */
    readonly releaseSingleInstanceLock: () => void
  }
  readonly platform: NodeJS.Platform
  readonly environment: Readonly<Record<string, string | undefined>>
  /** `process.resourcesPath`. */
  readonly resources: string
  readonly log: (event: string, detail?: string) => void
  readonly library?: () => Promise<UpdaterLibrary>
}

/** The configuration that electron-builder wrote beside the app: the feed, and the publisher's name on Windows. */
const packaged = (resources: string): { readonly url?: unknown; readonly publisherName?: unknown } => {
  try {
    const read: unknown = parse(readFileSync(join(resources, "app-update.yml"), "utf8"))
    return typeof read === "object" && read !== null ? read : {}
  } catch {
    return {}
  }
}

/** Packaged beside the app if it was supplied. */
export const updateKeyFile = "update-key.pem"

const hasKey = (resources: string): boolean => existsSync(join(resources, updateKeyFile))
/** Throws for an unreadable key, so that no update is accepted. */
const keyOf = (resources: string): KeyObject | undefined =>
  hasKey(resources) ? readUpdateKey(readFileSync(join(resources, updateKeyFile), "utf8")) : undefined

const obstacleOf = ({ app, environment, platform, resources }: UpdaterParts): UpdateObstacle | undefined => {
  if (!app.isPackaged) return "not_packaged"
  // An AppImage updates its own file; an installed package is updated by the package manager.
  if (platform === "linux" && environment["APPIMAGE"] === undefined) return "package_manager"
  // macOS accepts only updates by the app's own signer.
  const isSigned = hasKey(resources) || platform === "darwin" ||
    platform === "win32" && packaged(resources).publisherName !== undefined
  return isSigned ? undefined : "unsigned"
}

const libraryDefault = async (): Promise<UpdaterLibrary> => (await import("electron-updater")).default.autoUpdater

/** Absolute URLs of an offer's files, as electron-updater resolves them. */
const addressesOf = (
  feed: string,
  { files }: { readonly files: ReadonlyArray<{ readonly url: string }> }
): ReadonlyArray<string> => {
  const base = feed.endsWith("/") ? feed : `${feed}/`
  return files.map(({ url }) => URL.canParse(url, base) ? new URL(url, base).href : url)
}

const load = async ({ app, library = libraryDefault, log, platform, resources }: UpdaterParts): Promise<Updater> => {
  const key = keyOf(resources)
  const updater = await library()
  const logAs = (level: string) => (message?: unknown): void =>
    log(`updater_${level}`, String(message).split("\n", 1)[0]!.slice(0, 300))
  updater.logger = { info: () => {}, warn: logAs("warning"), error: logAs("error") }
  updater.autoDownload = false
  updater.allowDowngrade = false
  updater.disableWebInstaller = true
  // On macOS this option would pass a download to the system at once, which then installs it at any quit.
  updater.autoInstallOnAppQuit = platform !== "darwin"
  // Without a listener the first error would end the app; the promises report the error as well.
  updater.on("error", () => {})
  updater.netSession.webRequest.onBeforeRequest({ urls: ["http://*/*"] }, (_, answer) => answer({ cancel: true }))
  let offered: CancellationToken | undefined
  return {
    check: async (feed): Promise<Offer | undefined> => {
      updater.setFeedURL({ provider: "generic", url: feed })
      const found = await updater.checkForUpdates()
      if (found === null || !found.isUpdateAvailable) return undefined
      if (key !== undefined) {
        checkSignature(found.updateInfo, "signature" in found.updateInfo ? found.updateInfo.signature : undefined, key)
      }
      offered = found.cancellationToken
      return { version: found.updateInfo.version, files: addressesOf(feed, found.updateInfo) }
    },
    download: async (signal) => {
      const token = offered
      const cancel = (): void => token?.cancel()
      signal.addEventListener("abort", cancel)
      try {
        await updater.downloadUpdate(token)
      } finally {
        signal.removeEventListener("abort", cancel)
      }
    },
    installAtQuit: (yes) => {
      if (platform !== "darwin") updater.autoInstallOnAppQuit = yes
    },
    quitAndInstall: () => {
      app.releaseSingleInstanceLock()
      updater.quitAndInstall()
    }
  }
}

/** For `makeUpdates`. */
export const updaterParts = (parts: UpdaterParts) => {
  const { url } = parts.app.isPackaged ? packaged(parts.resources) : {}
  return {
    version: parts.app.getVersion(),
    obstacle: obstacleOf(parts),
    packagedFeed: typeof url === "string" ? url : undefined,
    load: () => load(parts)
  }
}
