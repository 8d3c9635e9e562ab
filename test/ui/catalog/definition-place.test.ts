import { placeWords } from "@countersign/ui/catalog/definition-place"
import { catalogText } from "@countersign/ui/text/catalog"
import { describe, expect, test } from "vitest"

const words = (path: string) => placeWords(catalogText, ["list_pets", "add_pet"], path)

describe("a path in a service definition", () => {
  test("names the operation and its field", () => {
    expect(words("operations.1.unknown")).toBe("Operation add_pet, Unknown outcome")
    expect(words("operations.0.price.ceiling")).toBe("Operation list_pets, Price")
    expect(words("operations.0.payload_schema.properties.name")).toBe("Operation list_pets, Payload")
  })

  test("names only the operation for a field without a word, and counts an operation without a name", () => {
    expect(words("operations.1.response_schema")).toBe("Operation add_pet")
    expect(words("operations.2.unknown")).toBe("Operation 3, Unknown outcome")
  })

  test("names the credential and all operations, and leaves any other text as it is", () => {
    expect(["auth", "operations", "GET /pets"].map(words)).toEqual(["Credential", "Operations", "GET /pets"])
  })
})
