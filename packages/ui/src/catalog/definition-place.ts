/** A path in a service definition in words: `operations.3.unknown` as "Operation add_pet, Unknown outcome". Pure. */
import type { catalogText } from "../text/catalog.ts"

/** `operations` are the names in the definition's order. A path outside of the definition stays as it is. */
export const placeWords = (t: typeof catalogText, operations: ReadonlyArray<string>, path: string): string => {
  const [first, at, field = ""] = path.split(".")
  if (first === "auth") return t.editor.auth
  if (first !== "operations") return path
  if (at === undefined) return t.editor.operations
  const name = operations[Number(at)]
  const operation = name === undefined ? t.editor.operation(Number(at) + 1) : t.editor.operationNamed(name)
  const fields: Readonly<Record<string, string>> = {
    price: t.import.columns.price,
    unknown: t.editor.unknown,
    payload_schema: t.editor.payload,
    path: t.editor.path,
    method: t.editor.method,
    query: t.editor.query,
    headers: t.editor.headers,
    body: t.editor.body
  }
  const word = fields[field]
  return word === undefined ? operation : t.import.place(operation, word)
}
