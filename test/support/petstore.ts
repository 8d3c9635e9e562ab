/** A pet store as OpenAPI, with every kind of parameter and body in few operations. */

const ok = { 200: { description: "ok" } }
const petId = { name: "petId", in: "path", required: true, schema: { type: "integer" } }
const json = (schema: object) => ({
  required: true,
  content: { "application/xml": { schema: {} }, "application/json": { schema } }
})

export const petstore = {
  openapi: "3.0.4",
  info: { title: "Swagger Petstore", version: "1.0.27" },
  servers: [{ url: "/api/v3" }],
  paths: {
    "/pet": {
      post: {
        operationId: "addPet",
        tags: ["pet"],
        requestBody: json({ $ref: "#/components/schemas/Pet" }),
        responses: ok,
        security: [{ oauth: ["write:pets"] }]
      }
    },
    "/pet/find": {
      get: {
        operationId: "findPets",
        tags: ["pet"],
        parameters: [
          {
            name: "status",
            in: "query",
            explode: true,
            schema: { type: "array", items: { type: "string", enum: ["available", "pending", "sold"] } }
          },
          { name: "ids", in: "query", explode: false, schema: { type: "array", items: { type: "integer" } } }
        ],
        responses: ok
      }
    },
    "/pet/{petId}": {
      post: {
        operationId: "updatePetWithForm",
        tags: ["pet"],
        parameters: [petId],
        requestBody: {
          content: {
            "application/x-www-form-urlencoded": {
              schema: {
                type: "object",
                properties: { name: { type: "string" }, tags: { type: "array", items: { type: "string" } } }
              }
            }
          }
        },
        responses: ok
      },
      delete: {
        operationId: "deletePet",
        tags: ["pet"],
        parameters: [{ name: "api_key", in: "header", required: false, schema: { type: "string" } }, petId],
        responses: ok
      }
    },
    "/pets": {
      delete: {
        operationId: "deletePets",
        tags: ["pet"],
        requestBody: json({ type: "object", properties: { ids: { type: "array", items: { type: "integer" } } } }),
        responses: ok
      }
    },
    "/pet/{petId}/note": {
      post: {
        operationId: "notePet",
        tags: ["pet"],
        parameters: [petId],
        requestBody: { required: true, content: { "text/plain": { schema: { type: "string" } } } },
        responses: ok
      }
    },
    "/pet/{petId}/uploadImage": {
      post: {
        operationId: "uploadFile",
        tags: ["pet"],
        parameters: [petId],
        requestBody: { content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } } },
        responses: ok,
        security: [{ api_key: [] }]
      }
    }
  },
  components: {
    schemas: {
      Category: { type: "object", properties: { id: { type: "integer", format: "int64" }, name: { type: "string" } } },
      Pet: {
        type: "object",
        required: ["name", "photoUrls"],
        properties: {
          id: { type: "integer", format: "int64" },
          name: { type: "string", example: "doggie" },
          category: { $ref: "#/components/schemas/Category" },
          photoUrls: { type: "array", items: { type: "string" } },
          tags: { type: "array", items: { $ref: "#/components/schemas/Category" } }
        }
      }
    },
    securitySchemes: {
      oauth: {
        type: "oauth2",
        flows: { implicit: { authorizationUrl: "https://petstore.example/oauth", scopes: { "write:pets": "modify" } } }
      },
      api_key: { type: "apiKey", name: "api_key", in: "header" }
    }
  }
}
