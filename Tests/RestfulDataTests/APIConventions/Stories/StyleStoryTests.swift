import Testing

/// The same story for each ready-made style, over HTTP, with a service that checks its requests.
@MainActor @Suite(.timeLimit(.minutes(10))) struct StyleStoryTests {
    @Test(arguments: ScriptedService.frameworks)
    func `Each style works with a server of its framework or standard over HTTP`(_ service: ScriptedService)
        async throws
    {
        try await service.play()
    }

    @Test(arguments: ScriptedService.companies)
    func `Each service's style works with a stand-in for the service`(_ service: ScriptedService) async throws {
        try await service.play()
    }
}
