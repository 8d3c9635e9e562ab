/** Definitions that the hub ships as folders of JSON files. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const messageOf = (cause: unknown): string => cause instanceof Error ? cause.message : "unknown"

/**
 * The definitions of a folder, in order of their files. `kind` is what one is called in errors.
 * @throws Error with the file's name if `read` throws
 */
export function* readShipped<A>(
  dir: string,
  kind: string,
  read: (document: unknown) => A
): Generator<readonly [file: string, definition: A]> {
  for (const file of readdirSync(dir).filter((name) => name.endsWith(".json")).sort()) {
    const path = join(dir, file)
    let definition: A
    try {
      definition = read(JSON.parse(readFileSync(path, "utf8")))
    } catch (cause) {
      throw new Error(`${path} is not a valid ${kind}: ${messageOf(cause)}`, { cause })
    }
    yield [file, definition]
  }
}

/**
 * The definitions of a folder by name.
 * @throws Error with the file's name if `read` throws or a name occurs twice
 */
export const readShippedByName = <A extends { readonly name: string }>(
  dir: string,
  kind: string,
  read: (document: unknown) => A
): ReadonlyMap<string, A> => {
  const found = new Map<string, A>()
  for (const [file, definition] of readShipped(dir, kind, read)) {
    if (found.has(definition.name)) throw new Error(`${file}: there are two ${kind}s named "${definition.name}"`)
    found.set(definition.name, definition)
  }
  return found
}

interface Problem {
  readonly path: string
  readonly message: string
}

/** @throws Error with the first problem */
export const noProblem = ([first]: ReadonlyArray<Problem>): void => {
  if (first !== undefined) throw new Error(`${first.path}: ${first.message}`)
}
