/** The model door: `/v1` in the forms of OpenAI and Anthropic. */
import { Layer } from "effect"
import { Admission } from "../edge/admission.ts"
import { DoorAnswers } from "./answers.ts"
import { directModelDoorLayer } from "./direct.ts"
import { modelDoorRoutes } from "./http.ts"
import { ModelDoor } from "./service.ts"

export const services = DoorAnswers.layer.pipe(Layer.provide(ModelDoor.layer))

export const routes = modelDoorRoutes.pipe(Layer.provide(Admission.layer))

export const direct = directModelDoorLayer
