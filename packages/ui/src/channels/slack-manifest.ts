/** The manifest of a Slack app for approvals. https://docs.slack.dev/reference/app-manifest */

/** `hub`: the origin of the hub's public address. */
export const slackManifest = (hub: string): string => {
  const request_url = `${hub}/api/v1/webhooks/slack`
  return JSON.stringify(
    {
      display_information: { name: "Countersign", description: "Approve the paid actions of software agents" },
      features: {
        bot_user: { display_name: "Countersign", always_online: true },
        slash_commands: [{
          command: "/countersign",
          url: request_url,
          description: "Link your account",
          usage_hint: "link CODE",
          should_escape: false
        }]
      },
      oauth_config: { scopes: { bot: ["chat:write", "commands"] } },
      settings: {
        interactivity: { is_enabled: true, request_url },
        org_deploy_enabled: false,
        socket_mode_enabled: false
      }
    },
    null,
    2
  )
}

export const discordEndpoint = (hub: string): string => `${hub}/api/v1/webhooks/discord`
