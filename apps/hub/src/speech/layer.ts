/** Text to speech. */
import { Layer } from "effect"
import { BuiltInSpeech } from "./built-in.ts"
import { SpeechHttp } from "./http.ts"
import { Speech } from "./service.ts"

export const services = Speech.layer.pipe(Layer.provideMerge(BuiltInSpeech.layer))

export const handlers = SpeechHttp
