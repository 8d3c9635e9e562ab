/** The hub's check of an address: text, an at sign, text. Blanks around it are ignored. */
export const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+$/u.test(text.trim())
