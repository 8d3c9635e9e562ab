/**
 * The texts of unsent messages: they survive a reload, but not the tab. Each person of a shared browser has their own.
 */

const nameOf = (user: string, chat: string): string => `countersign.message.${user}.${chat}`

export const keepMessage = (user: string, chat: string, text: string): void => {
  try {
    if (text === "") sessionStorage.removeItem(nameOf(user, chat))
    else sessionStorage.setItem(nameOf(user, chat), text)
  } catch {
    // Storage may be full or blocked.
  }
}

export const keptMessage = (user: string, chat: string): string => {
  try {
    return sessionStorage.getItem(nameOf(user, chat)) ?? ""
  } catch {
    return ""
  }
}
