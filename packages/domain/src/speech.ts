/** Text to speech. Spec: reference/speech.md "Voices". */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AnyAccess } from "./auth.ts"
import { Prose } from "./text.ts"

export const speechTextMax = 5_000
export const speedMin = 0.5
export const speedMax = 2

export const Voice = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  language: Schema.String.annotate({ description: "A language tag (BCP 47); `mul`: several languages" })
}).annotate({ identifier: "Voice" })
export type Voice = typeof Voice.Type

export const VoiceList = Schema.Struct({
  data: Schema.Array(Voice),
  next_cursor: Schema.Null,
  as_of: Schema.String
}).annotate({ identifier: "VoiceList" })

export const SpeechInput = Schema.Struct({
  text: Prose(speechTextMax).check(Schema.isMinLength(1)),
  voice: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64)).annotate({
    description: "The id of a voice of GET /tts"
  }),
  speed: Schema.optionalKey(
    Schema.Finite.check(Schema.isBetween({ minimum: speedMin, maximum: speedMax })).annotate({
      description: "1 is the voice's own speed; higher is faster"
    })
  )
}).annotate({ identifier: "SpeechInput" })
export type SpeechInput = typeof SpeechInput.Type

export class SpeechGroup extends HttpApiGroup.make("speech").add(
  HttpApiEndpoint.get("voices", "/tts", { success: VoiceList })
    .middleware(AnyAccess).annotate(OpenApi.Description, "The voices, answered whole."),
  HttpApiEndpoint.post("say", "/tts", {
    payload: SpeechInput,
    success: HttpApiSchema.asUint8Array({ contentType: "audio/wav" })(Schema.Uint8Array)
  }).middleware(AnyAccess).annotate(
    OpenApi.Description,
    "Speaks a text as WAV, 16 bits, mono. The built-in voices speak English and cost nothing. A provider's voice is a request of " +
      "`speech.say`, made by the agent whose key is used, otherwise by the workspace's assistant; when it is not executed, the answer " +
      "is 409 `speech_refused` with the request."
  )
) {}
