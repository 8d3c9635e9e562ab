/**
 * Consent behind a screen that may be locked: the system is asked before a question is shown, every 2 s while one waits, and before a yes
 * counts. Where it tells of a lock by itself, that counts too. Spec: D10.
 */
import type { AllowRefusal, Consent } from "./consent.ts"

export const lookMillis = 2_000

export interface LockLook {
  readonly locked: boolean
  /** Whether this system tells it at all: where it does not, a locked screen looks as an open one. */
  readonly told: boolean
}

export interface GuardedConsent extends Omit<Consent, "allow"> {
  readonly allow: (question: string, digest: string) => Promise<AllowRefusal | undefined>
  /** Whether a locked screen is known here. */
  readonly tellsLock: () => Promise<boolean>
  readonly close: () => void
}

export interface LockGuardOptions {
  readonly consent: Consent
  readonly look: () => Promise<LockLook>
  readonly every: (millis: number, act: () => void) => () => void
}

export const guardConsent = ({ consent, every, look }: LockGuardOptions): GuardedConsent => {
  /** As the system said by itself. */
  let isLocked = false
  let seen: LockLook | undefined
  let looks = 0
  let newest = 0
  const now = async (): Promise<LockLook> => {
    const mine = ++looks
    const found = await look().catch((): LockLook => ({ locked: false, told: false }))
    // A slow one is older than what is known.
    if (mine > newest) {
      newest = mine
      seen = found
      consent.setLocked(isLocked || found.locked)
    }
    return found
  }

  type Arrived = Parameters<Consent["ask"]>
  let arrived: ReadonlyArray<Arrived> = []
  let isLetting = false
  /** What comes while one look is under way waits for the next, all together. */
  const letIn = async (): Promise<void> => {
    if (isLetting) return
    isLetting = true
    try {
      while (arrived.length > 0) {
        const these = arrived
        await now()
        const left = these.filter((each) => arrived.includes(each))
        arrived = arrived.filter((each) => !these.includes(each))
        for (const each of left) consent.ask(...each)
      }
    } finally {
      isLetting = false
    }
  }

  let stopLooking: (() => void) | undefined
  let isLooking = false
  const tick = (): void => {
    consent.lapse()
    if (isLooking) return
    isLooking = true
    void now().finally(() => {
      isLooking = false
    })
  }
  const unsubscribe = consent.subscribe((drawing) => {
    if (drawing === undefined) {
      stopLooking?.()
      stopLooking = undefined
    } else stopLooking ??= every(lookMillis, tick)
  })

  return {
    ...consent,
    ask: (...arriving) => {
      arrived = [...arrived, arriving]
      void letIn()
    },
    withdraw: (question) => {
      arrived = arrived.filter(([each]) => each.question !== question)
      consent.withdraw(question)
    },
    agentGone: () => {
      arrived = []
      consent.agentGone()
    },
    allow: async (question, digest) => {
      await now()
      return consent.allow(question, digest)
    },
    setLocked: (locked) => {
      isLocked = locked
      consent.setLocked(locked || seen?.locked === true)
    },
    tellsLock: async () => (seen ?? await now()).told,
    close: () => {
      unsubscribe()
      stopLooking?.()
    }
  }
}
