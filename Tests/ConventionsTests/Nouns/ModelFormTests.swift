import Testing

@testable import Conventions

/// The discriminator values of a model.
@Suite struct ModelFormTests {
    @Test(arguments: [
        (
            "PushEvent",
            [
                "PushEvent", "push_event", "push-event", "pushEvent", "PushEvents", "push_events", "push-events",
                "pushEvents",
            ]
        ),
        ("Category", ["Category", "category", "Categories", "categories"]),
        ("Day", ["Day", "day", "Days", "days"]),
        ("Box", ["Box", "box", "Boxes", "boxes"]),
    ])
    func `A model's name has these discriminator values`(_ name: String, _ forms: [String]) {
        #expect(AttributeMapping.discriminatorValues(forModelNamed: name) == forms)
    }
}
