/** The demo workspace. */
import { DemoRepository } from "./repository.ts"

export const repositories = DemoRepository.layer
