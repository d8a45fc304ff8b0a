enum DemoComments {
    /// Issue 2 has two pages of them; the others have up to three.
    static func all(on number: Int, in repository: Repository) -> [Comment] {
        let count = number == 2 ? 33 : number % 4
        return (0..<count).map { index in
            let written = DemoIssues.opened(number, in: repository).adding(hours: 2, minutes: index * 90)
            return Comment(
                id: 2_500_000_000 + repository.id * 100 + number * 50 + index, issueNumber: number,
                body: remarks[(number + index) % remarks.count],
                userID: [DemoUsers.monalisa, DemoUsers.octocat, DemoUsers.hubot][(number + index) % 3],
                createdAt: written, updatedAt: written)
        }
    }

    private static let remarks = [
        "Me too", "Can you send the log?", "Works for me.", "👍", "Fixed in `main`, please try.",
        "It says \"Hello\" but\nnot to whom.",
    ]
}
