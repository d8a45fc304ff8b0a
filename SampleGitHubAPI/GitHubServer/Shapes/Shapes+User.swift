extension Shapes {
    /// Within other things; null if the account is gone.
    func user(_ id: Int?) -> JSON {
        guard let user = id.flatMap(world.user) else { return .null }
        return .object { put(user, into: &$0) }
    }

    /// As at `/users/:login`.
    func publicUser(_ user: User) -> JSON {
        .object { json in
            put(user, into: &json)
            putProfile(of: user, into: &json)
        }
    }

    /// As at `/user`.
    func privateUser(_ user: User) -> JSON {
        .object { json in
            put(user, into: &json)
            putProfile(of: user, into: &json)
            for name in ["private_gists", "total_private_repos", "owned_private_repos", "disk_usage", "collaborators"] {
                json.put(name, 0)
            }
            json.put("two_factor_authentication", true)
            json.put("plan", plan)
        }
    }

    private func put(_ user: User, into json: inout JSONObject) {
        let url = api("/users/\(user.login)")
        json.put("login", user.login)
        json.put("id", user.id)
        json.put("node_id", Shapes.nodeID("User", user.id))
        json.put("avatar_url", "https://avatars.githubusercontent.com/u/\(user.id)?v=4")
        json.put("gravatar_id", "")
        json.put("url", url)
        json.put("html_url", web("/\(user.login)"))
        json.put("followers_url", url + "/followers")
        json.put("following_url", url + "/following{/other_user}")
        json.put("gists_url", url + "/gists{/gist_id}")
        json.put("starred_url", url + "/starred{/owner}{/repo}")
        json.put("subscriptions_url", url + "/subscriptions")
        json.put("organizations_url", url + "/orgs")
        json.put("repos_url", url + "/repos")
        json.put("events_url", url + "/events{/privacy}")
        json.put("received_events_url", url + "/received_events")
        json.put("type", "User")
        json.put("user_view_type", "public")
        json.put("site_admin", user.isStaff)
    }

    private func putProfile(of user: User, into json: inout JSONObject) {
        json.put("name", user.name)
        json.put("company", user.company)
        json.put("blog", user.blog)
        json.put("location", user.location)
        json.put("email", user.email)
        json.putNull("hireable")
        json.put("bio", user.bio)
        json.put("twitter_username", user.twitter)
        json.put("public_repos", world.repositories.count { $0.ownerID == user.id && !$0.isPrivate })
        json.put("public_gists", user.gists)
        json.put("followers", user.followers)
        json.put("following", user.following)
        json.put("created_at", user.createdAt)
        json.put("updated_at", user.updatedAt)
    }

    private var plan: JSON {
        .object { plan in
            plan.put("name", "free")
            plan.put("space", 976_562_499)
            plan.put("collaborators", 0)
            plan.put("private_repos", 10_000)
        }
    }
}
