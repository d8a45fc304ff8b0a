enum Meta {
    static func root(_ world: inout World, _ call: Call) -> Reply {
        .ok(
            .object { root in
                for (name, path) in addresses { root.put(name + "_url", call.baseURL + path) }
            })
    }

    static func rateLimit(_ world: inout World, _ call: Call) -> Reply {
        let core = world.rateLimits.status("core", call.viewer, at: world.clock.now)
        let search = world.rateLimits.status("search", call.viewer, at: world.clock.now)
        return .ok(
            .object { body in
                body.put(
                    "resources",
                    JSON.object { resources in
                        resources.put("core", core.json)
                        resources.put("search", search.json)
                    })
                body.put("rate", core.json)
            })
    }

    private static let addresses: KeyValuePairs = [
        "current_user": "/user",
        "issue_search": "/search/issues?q={query}{&page,per_page,sort,order}",
        "rate_limit": "/rate_limit",
        "repository": "/repos/{owner}/{repo}",
        "user": "/users/{user}",
        "user_repositories": "/users/{user}/repos{?type,page,per_page,sort}",
    ]
}
