package dev.sharding.test;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

@ControlPlaneTest
class HeldSeatIT {

	@Test
	void hearsOfARefusalAndTriesAgain(ControlPlane controlPlane) {
		Access mayNothing = controlPlane.user("powerless");
		try (TcpProxy proxy = TcpProxy.to(controlPlane.apiServer());
				HeldSeat seat = new HeldSeat(mayNothing.through(proxy))) {
			soon().until(() -> proxy.connections() > 0);
			soon().until(() -> proxy.connections() == 0);
			soon().until(() -> proxy.connections() > 0);
		}
	}

	/* Between two tries there are 50 ms. */
	private static ConditionFactory soon() {
		return Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(5));
	}

}
