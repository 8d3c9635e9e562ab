/**
 * Files in a home directory that programs run or read as configuration when their owner starts a shell, a session, an editor, or Git. Whoever
 * writes there runs code outside of the sandbox. File tools do not write them; commands see those that exist read-only. Spec: D15.
 */
export const startFiles: ReadonlyArray<string> = [
  // Git and Mercurial
  ".gitconfig", ".config/git", ".hgrc", ".config/hg",
  // Shells
  ".bash_aliases", ".bash_completion", ".bash_login", ".bash_logout", ".bash_profile", ".bashrc", ".config/elvish", ".config/fish", ".config/nushell",
  ".config/powershell", ".config/zsh", ".cshrc", ".direnvrc", ".config/direnv", ".inputrc", ".kshrc", ".local/share/bash-completion", ".login", ".logout", ".mkshrc",
  ".oh-my-zsh", ".profile", ".tcshrc", ".xonshrc", ".zlogin", ".zlogout", ".zprofile", ".zsh", ".zshenv", ".zshrc",
  // Remote access, sessions, services, schedules
  ".config/autostart", ".config/autostart-scripts", ".config/cron", ".config/environment.d", ".config/hypr", ".config/i3", ".config/openbox", ".config/plasma-workspace",
  ".config/sway", ".config/systemd", ".config/upstart", ".crontab", ".environment", ".forward", ".local/share/applications", ".local/share/dbus-1",
  ".local/share/systemd", ".mailcap", ".pam_environment", ".procmailrc", ".ssh", ".xbindkeysrc", ".xinitrc", ".xprofile", ".xsession", ".xsessionrc",
  "Library/LaunchAgents", "crontab",
  // Directories of programs that are searched before those of the system
  ".cargo/bin", ".cargo/config", ".cargo/config.toml", ".cargo/env", ".local/bin", "bin",
  // Editors, terminals, debuggers, and other tools that run what their settings say
  ".condarc", ".config/Code/User", ".config/emacs", ".config/gdb", ".config/helix", ".config/kitty", ".config/mise", ".config/nvim", ".config/pip", ".config/tmux",
  ".config/vim", ".config/wezterm", ".curlrc", ".emacs", ".emacs.d", ".exrc", ".gdbinit", ".gemrc", ".gradle/init.d", ".gradle/init.gradle", ".irbrc", ".lldbinit",
  ".mavenrc", ".nanorc", ".pdbrc", ".pip", ".pryrc", ".psqlrc", ".Rprofile", ".screenrc", ".sqliterc", ".tmux.conf", ".vim", ".vimrc", ".vscode/extensions",
  ".wezterm.lua", ".wgetrc"
]
