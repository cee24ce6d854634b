package dev.sharding.internal.sharder.webhook;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class WebhookPathsTests {

	@Test
	@DisplayName("76 the path names the ring")
	void namesTheRing() {
		assertThat(WebhookPaths.of("my-ring")).isEqualTo("/webhooks/sharder/controllerring/my-ring");
		assertThat(WebhookPaths.ring("/webhooks/sharder/controllerring/my-ring")).isEqualTo("my-ring");
		assertThat(WebhookPaths.ring("/webhooks/sharder/controllerring/a.b")).isEqualTo("a.b");
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", "/", "/foo", "/webhooks", "/webhooks/sharder", "/webhooks/sharder/controllerring",
			"/webhooks/sharder/controllerring/", "/webhooks/sharder/controllerring/a/b",
			"/webhooks/sharder/controllerring/A", "/webhooks/sharder/controllerring/..",
			"/webhooks/sharder/controllerring/a%2Fb", "/v2/webhooks/sharder/controllerring/a" })
	@DisplayName("76/78 invalid paths name no ring")
	void refusesInvalidPaths(String path) {
		assertThat(WebhookPaths.ring(path)).isNull();
	}

}
