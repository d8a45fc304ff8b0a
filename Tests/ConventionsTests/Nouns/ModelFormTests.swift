import Testing

@testable import Conventions

/// What a discriminator may call a model.
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
    func `The forms of a name`(_ name: String, _ forms: [String]) {
        #expect(AttributeMapping.discriminatorValues(forModelNamed: name) == forms)
    }
}
