package dev.sharding.test;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Maven gives a process one class after the other, as requests of one session.
 */
class SharedControlPlaneIT {

	private static final List<ControlPlane> SEEN = new ArrayList<>();

	@Test
	void classesOfASessionShareOneThatEndsWithIt() {
		SEEN.clear();
		try (LauncherSession session = LauncherFactory.openSession()) {
			run(session);
			run(session);
			assertThat(SEEN).hasSize(2);
			assertThat(SEEN.get(0)).isSameAs(SEEN.get(1));
			assertThat(SEEN.get(0).client().raw("/readyz")).isEqualTo("ok");
		}
		assertThat(SEEN.get(0).apiServer().process().isAlive()).isFalse();
	}

	private static void run(LauncherSession session) {
		session.getLauncher()
			.execute(LauncherDiscoveryRequestBuilder.request()
				.selectors(DiscoverySelectors.selectClass(Sees.class))
				.build());
	}

	@ControlPlaneTest
	static class Sees {

		@Test
		void theControlPlane(ControlPlane controlPlane) {
			SEEN.add(controlPlane);
		}

	}

}
