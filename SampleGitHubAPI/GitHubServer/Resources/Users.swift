/// `/user` and `/users/:login`.
enum Users {
    static func viewer(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        guard call.viewer.hasCredentials, let user = call.viewer.userID.flatMap(world.user) else {
            throw .requiresAuthentication
        }
        return .ok(call.shapes(of: world).privateUser(user), lastModified: user.updatedAt)
    }

    static func show(_ world: inout World, _ call: Call) throws(Refusal) -> Reply {
        guard let user = world.user(login: call.parameter("login")) else { throw .notFound }
        return .ok(call.shapes(of: world).publicUser(user), lastModified: user.updatedAt)
    }
}
