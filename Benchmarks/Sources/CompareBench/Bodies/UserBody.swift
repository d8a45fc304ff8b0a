struct UserBody: JSONWritable {
    let number: Int

    var id: Int { 40_000 + number * 6_151 }
    var login: String { Text.name(number) }

    func write(to json: inout JSONWriter) {
        let url = "\(Text.api)/users/\(login)"
        json.object { json in
            json.member("login", login)
            json.member("id", id)
            json.member("node_id", Text.node("U", id))
            json.member("avatar_url", "https://avatars.githubusercontent.com/u/\(id)?v=4")
            json.member("gravatar_id", "")
            json.member("url", url)
            json.member("html_url", "\(Text.web)/\(login)")
            json.member("followers_url", url + "/followers")
            json.member("following_url", url + "/following{/other_user}")
            json.member("gists_url", url + "/gists{/gist_id}")
            json.member("starred_url", url + "/starred{/owner}{/repo}")
            json.member("subscriptions_url", url + "/subscriptions")
            json.member("organizations_url", url + "/orgs")
            json.member("repos_url", url + "/repos")
            json.member("events_url", url + "/events{/privacy}")
            json.member("received_events_url", url + "/received_events")
            json.member("type", number % 12 == 5 ? "Bot" : "User")
            json.member("site_admin", number % 80 == 3)
        }
    }
}
