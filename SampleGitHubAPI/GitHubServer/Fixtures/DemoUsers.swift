enum DemoUsers {
    static let octocat = 583_231
    static let hubot = 480_938
    static let monalisa = 2

    /// Requests act as the first one.
    static let all = [
        User(
            id: octocat, login: "octocat", name: "The Octocat", company: "@github", blog: "https://github.blog",
            location: "San Francisco", bio: "Eight arms, one tail.", gists: 8, followers: 3_938, following: 9,
            createdAt: Timestamp(seconds: 1_295_981_076), updatedAt: Timestamp(seconds: 1_737_590_390)),
        User(
            id: hubot, login: "hubot", name: "Hubot", company: "GitHub", blog: "https://hubot.github.com",
            location: "In a rack", bio: "I'm a most efficient robot. 🤖", isStaff: true, followers: 403,
            createdAt: Timestamp(seconds: 1_289_942_482), updatedAt: Timestamp(seconds: 1_734_012_000)),
        User(
            id: monalisa, login: "monalisa", name: "Mona Lisa Octocat", email: "mona@example.com",
            twitter: "monatheoctocat", gists: 1, followers: 20, following: 2,
            createdAt: Timestamp(seconds: 1_200_285_215), updatedAt: Timestamp(seconds: 1_700_000_000)),
    ]
}
