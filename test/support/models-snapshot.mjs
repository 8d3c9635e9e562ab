/**
 * Writes `resources/models/snapshot.json` from the model data of the npm package `@earendil-works/pi-ai` (MIT):
 * `npm pack` it, unpack it, then `node test/support/models-snapshot.mjs DIRECTORY`, where DIRECTORY holds its
 * package.json. Prices are in US dollars per million tokens there, and per token here, as decimal text.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const [directory] = process.argv.slice(2)
if (directory === undefined) throw new Error("usage: node test/support/models-snapshot.mjs DIRECTORY")
const read = (path) => JSON.parse(readFileSync(join(directory, path), "utf8"))

const { license, name, version } = read("package.json")
const { generatedAt } = read("dist/providers/data/.manifest.json")
const lists = read("dist/providers/data/openrouter.json")

/** Shifts the decimal point of a number's text, because a division of doubles adds noise. */
const perToken = (perMillion) => {
  if (perMillion === 0) return "0"
  if (/e/u.test(String(perMillion))) throw new Error(`an exponent in ${perMillion}`)
  const [whole, fraction = ""] = String(perMillion).split(".")
  const digits = whole.padStart(7, "0") + fraction
  const point = digits.length - fraction.length - 6
  const text = `${digits.slice(0, point)}.${digits.slice(point)}`
  return text.replace(/^0+(?=\d)/u, "").replace(/\.?0+$/u, "")
}

const rates = ({ cacheRead, cacheWrite, input, output }) => ({
  prompt: perToken(input),
  completion: perToken(output),
  ...cacheRead > 0 ? { input_cache_read: perToken(cacheRead) } : {},
  ...cacheWrite > 0 ? { input_cache_write: perToken(cacheWrite) } : {}
})

/** A router's price depends on the model that it chooses: -1, as in OpenRouter's own list. */
const isRouter = ({ cost, id }) => cost.input === 0 && cost.output === 0 && !id.endsWith(":free")

const modelOf = (model) => ({
  id: model.id,
  name: model.name,
  context_length: model.contextWindow,
  pricing: isRouter(model) ? { prompt: "-1", completion: "-1" } : rates(model.cost),
  ...model.cost.tiers === undefined
    ? {}
    : {
      pricing_tiers: model.cost.tiers.map(({ inputTokensAbove, ...cost }) => ({
        input_tokens_above: inputTokensAbove,
        ...rates(cost)
      }))
    },
  architecture: {
    modality: `${model.input.join("+")}->text`,
    input_modalities: model.input,
    output_modalities: ["text"]
  },
  top_provider: { context_length: model.contextWindow, max_completion_tokens: model.maxTokens },
  supported_parameters: [
    "max_tokens",
    ...model.compat?.supportsTemperature === false ? [] : ["temperature", "top_p"],
    "stop",
    "tools",
    "tool_choice",
    ...model.reasoning ? ["reasoning"] : [],
    ...model.compat?.supportsStrictMode === true ? ["response_format", "structured_outputs"] : []
  ]
})

const chats = [...Object.values(lists["openai-completions"]), ...Object.values(lists["anthropic-messages"])]
const models = chats
  .filter(({ id }) => id.includes("/") && !id.startsWith("~"))
  .map(modelOf)
  .sort((a, b) => a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

const head = {
  source: `${name} ${version}, dist/providers/data/openrouter.json`,
  license,
  generated_at: generatedAt
}
writeFileSync(
  new URL("../../resources/models/snapshot.json", import.meta.url),
  `${JSON.stringify(head).slice(0, -1)},"data":[\n${models.map((model) => JSON.stringify(model)).join(",\n")}\n]}\n`
)
process.stdout.write(`${models.length} models\n`)
