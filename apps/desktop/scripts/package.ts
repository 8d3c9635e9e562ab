/**
 * `node apps/desktop/scripts/package.ts [--dir] [--output <folder>]`: packages the built app for this system and
 * architecture, with the Electron binary of `ELECTRON_EXEC_PATH`; with `--dir` only the app's folder, without an
 * installer. Then it verifies the fuses in the binary. Errors are printed in one line. Spec: reference/desktop.md "E9:
 * fuses".
 */
import { FuseState, FuseV1Options, getCurrentFuseWire } from "@electron/fuses"
import { Arch, build, Platform } from "electron-builder"
import { existsSync, readdirSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { configurationFor, fuses } from "../electron-builder.config.ts"

const project = join(import.meta.dirname, "..")

const wanted: ReadonlyArray<readonly [FuseV1Options, boolean]> = [
  [FuseV1Options.RunAsNode, fuses.runAsNode],
  [FuseV1Options.EnableNodeOptionsEnvironmentVariable, fuses.enableNodeOptionsEnvironmentVariable],
  [FuseV1Options.EnableNodeCliInspectArguments, fuses.enableNodeCliInspectArguments],
  [FuseV1Options.GrantFileProtocolExtraPrivileges, fuses.grantFileProtocolExtraPrivileges],
  [FuseV1Options.EnableCookieEncryption, fuses.enableCookieEncryption],
  [FuseV1Options.OnlyLoadAppFromAsar, fuses.onlyLoadAppFromAsar],
  [FuseV1Options.EnableEmbeddedAsarIntegrityValidation, fuses.enableEmbeddedAsarIntegrityValidation]
]

/** The folder of the unpacked official distribution that contains the binary. */
const distributionOf = (binary: string): string =>
  process.platform === "darwin" ? resolve(dirname(binary), "..", "..", "..") : dirname(binary)

/** The binaries of all apps packaged into this folder. */
const binariesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder).flatMap((name) =>
    ["countersign", "Countersign.exe", "Countersign.app"].map((file) => join(folder, name, file))
  ).filter((path) => existsSync(path))

const readBack = async (binary: string): Promise<void> => {
  const wire = await getCurrentFuseWire(binary)
  for (const [fuse, on] of wanted) {
    if (wire[fuse] !== (on ? FuseState.ENABLE : FuseState.DISABLE)) {
      throw new Error(`${binary} has its fuse ${FuseV1Options[fuse]} ${on ? "off" : "on"}`)
    }
  }
  console.log(`fuses read back: ${binary}`)
}

const main = async (): Promise<void> => {
  const { values } = parseArgs({ options: { dir: { type: "boolean" }, output: { type: "string" } } })
  const electron = process.env["ELECTRON_EXEC_PATH"]
  if (electron === undefined) throw new Error("ELECTRON_EXEC_PATH is not set; npm run package:desktop sets it")
  if (!existsSync(join(project, "out", "main", "index.js"))) {
    throw new Error("the app has not been built (npm run build:desktop)")
  }
  const output = resolve(values.output ?? join(project, "dist"))
  const arch = process.arch === "arm64" ? Arch.arm64 : Arch.x64
  const config = configurationFor({ platform: process.platform, arch: process.arch, environment: process.env })
  const targets = Platform.current().createTarget(values.dir === true ? ["dir"] : [], arch)
  await build({
    projectDir: project,
    targets,
    publish: "never",
    config: { ...config, electronDist: distributionOf(electron), directories: { ...config.directories, output } }
  })
  const binaries = binariesIn(output)
  if (binaries.length === 0) throw new Error(`nothing was packaged into ${output}`)
  for (const binary of binaries) await readBack(binary)
}

try {
  await main()
} catch (error) {
  const words = (error instanceof Error ? error.message : String(error)).split("\n", 1)[0]!.trim()
  console.error(`Cannot package the desktop app: ${words}`)
  process.exit(1)
}
