/** The removal of contents after their retention time. */
import { Layer } from "effect"
import { ChatRetentionRepository } from "./chat-repository.ts"
import { DeviceRetentionRepository } from "./devices-repository.ts"
import { MessageRetentionRepository } from "./messages-repository.ts"
import { RetentionRepository } from "./repository.ts"
import { RunRetentionRepository } from "./runs-repository.ts"
import { Retention } from "./service.ts"
import { SignInRetentionRepository } from "./sign-in-repository.ts"
import { StandingRetentionRepository } from "./standing-repository.ts"
import { TeamworkRetentionRepository } from "./teamwork-repository.ts"

export const repositories = Layer.mergeAll(
  ChatRetentionRepository.layer,
  DeviceRetentionRepository.layer,
  MessageRetentionRepository.layer,
  RetentionRepository.layer,
  RunRetentionRepository.layer,
  SignInRetentionRepository.layer,
  StandingRetentionRepository.layer,
  TeamworkRetentionRepository.layer
)

export const services = Retention.layer
