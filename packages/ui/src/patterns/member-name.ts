/** A person's name in lists: their name, or the email address. */
export const memberName = ({ email, name }: { readonly email: string; readonly name: string }): string =>
  name === "" ? email : name
