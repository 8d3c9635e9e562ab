/** Detection of clock jumps. */
import { Layer } from "effect"
import { ClockRepository } from "./repository.ts"
import { TimeCorrection } from "./time-correction.ts"
import { ClockWatch } from "./watch.ts"

/** Features read its time; it needs the database alone. */
export const watch = ClockWatch.layer.pipe(Layer.provideMerge(ClockRepository.layer))

export const services = TimeCorrection.layer
