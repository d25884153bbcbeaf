// The words of an owner that nobody is known of, where one is set, in English.
export const owner = {
  unknown: (name: string) => `Nobody is known for “${name}”: questions and reports do not reach this owner.`,
  answers: (name: string, login: string) => `Let the account ${name} (${login}) answer`,
  say: "Choose an account or set a mail address",
};
