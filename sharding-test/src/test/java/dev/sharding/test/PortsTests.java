package dev.sharding.test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Iterator;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class PortsTests {

	@Test
	void passesOverPortsThatAreTaken() throws IOException {
		int free = Ports.next();
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			// The free one is passed over too: it was handed out already.
			Iterator<Integer> candidates = List.of(taken.getLocalPort(), free, free + 1, free + 2, free + 3).iterator();
			assertThat(Ports.next(candidates::next)).isGreaterThan(free);
		}
	}

	@Test
	void givesUpWhenNothingIsFree() throws IOException {
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			assertThatIllegalStateException().isThrownBy(() -> Ports.next(taken::getLocalPort))
				.withMessageContaining("No free port");
		}
	}

}
