/**
 * Keys of which everybody can tell by their form whose they are, as those who issue them document it:
 * a fixed beginning or shape, and how long what follows is.
 */
const shapes: readonly string[] = [
  // Anthropic, OpenAI and those who do as they do. A digit: `sk-` also begins names in style sheets.
  "(?<![_-])sk-(?=[A-Za-z_-]{0,80}\\d)[\\w-]{20,}",
  // Amazon, Alibaba, Tencent
  "(?:AKIA|ASIA|AGPA|AIDA|AROA|ABIA|ACCA)[0-9A-Z]{16}(?![0-9A-Za-z])",
  "LTAI[A-Za-z0-9]{12,24}(?![A-Za-z0-9])",
  "AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])",
  // GitHub, GitLab, Bitbucket, Atlassian
  "gh[pousr]_[A-Za-z0-9]{30,}",
  "github_pat_\\w{22,}",
  "gl(?:pat|dt|rt|rtr|ptt|ft|soat|cbt|imt|agent|oas|ffct)-[\\w.-]{20,}",
  "GR1348941[\\w-]{20}",
  "AT(?:ATT3|CTT3|BB)[\\w=-]{24,}",
  // Slack, Discord, Telegram, Teams
  "xox[abceoprsd]-[A-Za-z0-9-]{10,}",
  "xoxe\\.xox[bp]-\\d-[A-Za-z0-9-]{20,}",
  "xapp-\\d-[A-Za-z0-9-]{10,}",
  "(?<=hooks\\.slack\\.com/(?:services|workflows|triggers)/)[A-Za-z0-9/]{20,}",
  "(?<=discord(?:app)?\\.com/api/webhooks/\\d{15,22}/)[\\w-]{30,}",
  "(?<=\\.webhook\\.office\\.com/webhookb2/)[\\w@-]{30,}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f-]{36}",
  "[MNO][A-Za-z0-9_-]{22,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,45}",
  "(?<![\\w:])\\d{8,10}:[A-Za-z0-9_-]{35}(?![\\w-])",
  // Google, Microsoft
  "(?<![_-])AIza[\\w-]{35}",
  "ya29\\.[\\w-]{20,}",
  "GOCSPX-[\\w-]{20,}",
  "1//0[\\w-]{30,}",
  "[A-Za-z0-9_~.]{3}8Q~[A-Za-z0-9_~.-]{31,34}",
  "(?<=[?&]sig=)[A-Za-z0-9%+/=]{30,}",
  // Payment and shops
  "(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}",
  "whsec_[A-Za-z0-9+/=]{24,}",
  "shp(?:at|ca|pa|ss|tka)_[0-9A-Fa-f]{32}",
  "sq0(?:atp|csp|idp)-[\\w-]{22,}",
  "EAAA[\\w-]{56,}",
  "access_token\\$(?:production|sandbox)\\$[0-9a-z]{16}\\$[0-9a-f]{32}",
  // Package registries
  "(?:npm|hf|api_org)_[A-Za-z0-9]{30,}",
  "pypi-[\\w-]{50,}",
  "dckr_(?:pat|oat)_[\\w-]{20,}",
  "rubygems_[0-9a-f]{48}",
  "CLOJARS_[0-9a-z]{60}",
  "cio[A-Za-z0-9]{32}(?![A-Za-z0-9])",
  "oy2[a-z0-9]{43}(?![a-z0-9])",
  "AKCp[A-Za-z0-9]{10,}",
  // Clouds, databases, operation
  "do[opr]_v1_[0-9a-f]{64}",
  "hv[sbr]\\.[\\w-]{20,}",
  "dapi[0-9a-f]{32}(?:-\\d)?",
  "dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9._-]{20,}",
  "nf[pcuob]_[A-Za-z0-9]{36,}",
  "HRKU-[\\w-]{30,}",
  "NR(?:AK|II|JS|RA|SP|AL|AA)-[A-Za-z0-9]{19,}",
  "[0-9a-f]{36}NRAL",
  "fm[12][ar]?_[A-Za-z0-9+/=_-]{40,}",
  "fo1_[\\w-]{43}",
  "v1\\.0-[0-9a-f]{24}-[0-9a-f]{140,}",
  "sbp_[0-9a-f]{40}",
  "sb_(?:secret|publishable)_[\\w-]{20,}",
  "[A-Za-z0-9]{14}\\.atlasv1\\.[\\w=-]{60,}",
  "pul-[0-9a-f]{40}",
  "glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}",
  "glc_[A-Za-z0-9+/=]{32,}",
  "sntry[su]_[A-Za-z0-9+/=_-]{40,}",
  "pscale_(?:tkn|pw|oauth|otkn)_[\\w.=-]{30,}",
  "tskey-[a-z]+-[A-Za-z0-9-]{16,}",
  "bkua_[0-9a-f]{40}",
  "CCI(?:PAT|PRJ)_[A-Za-z0-9_]{20,}",
  "ops_eyJ[\\w=-]{40,}",
  "AGE-SECRET-KEY-1[0-9A-Z]{58}",
  "vc[ptkiar]_[A-Za-z0-9]{24,}",
  // Mail and telephone
  "SG\\.[\\w-]{16,}\\.[\\w-]{16,}",
  "(?:SK|AC)[0-9a-f]{32}(?![0-9A-Za-z])",
  "key-[0-9a-f]{32}(?![0-9A-Za-z])",
  "[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![0-9A-Za-z-])",
  "[0-9a-f]{32}-us\\d{1,2}(?!\\d)",
  "xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}",
  "re_[A-Za-z0-9]{8,}_[A-Za-z0-9]{20,}",
  // Work together
  "lin_(?:api|oauth)_[A-Za-z0-9]{32,}",
  "PMAK-[0-9a-f]{24}-[0-9a-f]{34}",
  "fig[dou]_?[\\w-]{0,3}_[\\w-]{36,}",
  "ntn_[A-Za-z0-9]{40,}",
  "secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])",
  "pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}",
  "sl\\.(?:u\\.)?[\\w-]{100,}",
  "sgp_(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}",
  "rdme_[a-z0-9]{70}",
  "phc?x?_[A-Za-z0-9]{40,}",
  // Models
  "gsk_[A-Za-z0-9]{30,}",
  "xai-[A-Za-z0-9]{30,}",
  "pplx-[A-Za-z0-9]{40,}",
  "r8_[A-Za-z0-9]{37}",
  "tgp_v1_[\\w-]{40,}",
  "lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}",
  "fw_[A-Za-z0-9]{22,}",
  "nvapi-[\\w-]{60,}",
  // Facebook, and a bearer of X
  "EAA[A-Za-z0-9]{60,}",
  "A{20,22}[A-Za-z0-9%]{60,}",
  // A JSON Web Token: both of its first parts are JSON in base64.
  "(?<![_-])eyJ[\\w-]{8,}\\.eyJ[\\w-]{8,}\\.[\\w-]*",
  // Hashes of passwords: bcrypt, crypt(3), Argon2, and what htpasswd writes besides.
  "\\$2[abxy]?\\$\\d\\d\\$[./A-Za-z0-9]{53}",
  "\\$(?:apr1|1|5|6|7|y)\\$[^\\s:$\"']{1,60}\\$[./A-Za-z0-9$]{20,}",
  "\\$argon2(?:id|i|d)\\$[^\\s\"':]{30,}",
  "\\{SSHA?\\}[A-Za-z0-9+/]{26,}={0,2}",
  "\\{SHA\\}[A-Za-z0-9+/]{27}=",
];

/** One pattern of all, so that a long text is gone through once. None begins within a word. */
export const tokenPattern = new RegExp(`(?<![A-Za-z0-9])(?:${shapes.join("|")})`, "g");
