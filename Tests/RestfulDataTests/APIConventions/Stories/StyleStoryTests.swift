import Testing

/// The same story for each ready-made style, over HTTP, against a service that checks what it is asked.
@MainActor @Suite(.timeLimit(.minutes(10))) struct StyleStoryTests {
    @Test(arguments: ScriptedService.frameworks)
    func `A style speaks to a service of its framework or standard`(_ service: ScriptedService) async throws {
        try await service.play()
    }

    @Test(arguments: ScriptedService.companies)
    func `A style speaks to the service that it is named for`(_ service: ScriptedService) async throws {
        try await service.play()
    }
}
