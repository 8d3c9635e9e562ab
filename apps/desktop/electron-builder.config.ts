/**
 * The contents and formats of the packages: AppImage and deb, dmg and zip, an NSIS installer. Read by `scripts/package.ts`. Paths are
 * relative to this folder. Spec: reference/desktop.md "E9: fuses", "E15: updates".
 */
import type { Configuration } from "electron-builder"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { isUpdateFeed } from "./src/bridge/update-feed.ts"
import { updateKeyFile } from "./src/main/electron/updater.ts"
import { readUpdateKey } from "./src/main/updates/signature.ts"

const root = join(import.meta.dirname, "..", "..")
const pictures = join(root, "resources", "desktop")

const pinned = (name: string): string => {
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly devDependencies: Readonly<Record<string, string>>
  }
  return devDependencies[name]!
}

/** E9. */
export const fuses = {
  runAsNode: false,
  enableNodeOptionsEnvironmentVariable: false,
  enableNodeCliInspectArguments: false,
  grantFileProtocolExtraPrivileges: false,
  enableCookieEncryption: true,
  onlyLoadAppFromAsar: true,
  enableEmbeddedAsarIntegrityValidation: true
} as const satisfies Configuration["electronFuses"]

/** One keychain library for each system and architecture is in the package; an app carries its own. */
const otherKeychains = (platform: NodeJS.Platform, arch: string): string =>
  `!node_modules/keytar/prebuilds/!(${platform}-${arch})/**`

export interface PackagingFacts {
  readonly platform: NodeJS.Platform
  readonly arch: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Throws on an update feed or a key that the app would not take. */
export const configurationFor = ({ arch, environment, platform }: PackagingFacts): Configuration => {
  const feed = environment["COUNTERSIGN_UPDATE_FEED"]
  if (feed !== undefined && !isUpdateFeed(feed)) {
    throw new Error(`COUNTERSIGN_UPDATE_FEED is no https address of a folder: ${feed}`)
  }
  const key = environment["COUNTERSIGN_UPDATE_KEY"]
  if (key !== undefined) readUpdateKey(readFileSync(key, "utf8"))
  /** Apple's notary wants one of its two kinds of credentials. */
  const canNotarize = environment["APPLE_API_KEY"] !== undefined ||
    environment["APPLE_APP_SPECIFIC_PASSWORD"] !== undefined
  return {
    appId: "app.countersign.desktop",
    productName: "Countersign",
    copyright: "Copyright © The Countersign authors",
    // To be the project's own before the first release: a deb names both.
    extraMetadata: { name: "countersign", homepage: "https://countersign.invalid" },
    electronVersion: pinned("electron"),
    directories: { output: "dist", buildResources: pictures },
    files: [
      "out/**",
      "!out/**/*.map",
      "package.json",
      "!node_modules/keytar/{src,script}/**",
      "!node_modules/keytar/binding.gyp",
      // keytar's headers, for those who build it.
      "!node_modules/node-addon-api/**",
      otherKeychains(platform, arch)
    ],
    asar: true,
    asarUnpack: ["node_modules/keytar/**"],
    // What electron-updater keeps its downloads by when no feed is packaged.
    extraResources: [
      { from: join(pictures, "app-update.yml"), to: "app-update.yml" },
      ...key === undefined ? [] : [{ from: resolve(key), to: updateKeyFile }]
    ],
    // keytar is N-API: one file for Node and Electron.
    npmRebuild: false,
    nodeGypRebuild: false,
    buildDependenciesFromSource: false,
    electronFuses: fuses,
    protocols: [{ name: "Countersign", schemes: ["countersign"] }],
    publish: feed === undefined ? null : { provider: "generic", url: feed },
    linux: {
      target: ["AppImage", "deb"],
      executableName: "countersign",
      icon: join(pictures, "icon-512.png"),
      category: "Office",
      synopsis: "Countersign what software agents want to pay for",
      maintainer: "The Countersign authors <authors@countersign.invalid>"
    },
    // The sandbox of the device agent; what Electron and keytar need is electron-builder's own list.
    deb: { recommends: ["libappindicator3-1", "bubblewrap"] },
    mac: {
      target: ["dmg", "zip"],
      category: "public.app-category.business",
      icon: join(pictures, "icon.icns"),
      hardenedRuntime: true,
      gatekeeperAssess: false,
      entitlements: join(pictures, "entitlements.mac.plist"),
      entitlementsInherit: join(pictures, "entitlements.mac.plist"),
      notarize: canNotarize
    },
    win: { target: ["nsis"], icon: join(pictures, "icon.ico") },
    nsis: { oneClick: true, perMachine: false, deleteAppDataOnUninstall: false }
  }
}
