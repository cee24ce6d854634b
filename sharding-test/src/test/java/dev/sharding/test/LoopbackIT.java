package dev.sharding.test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static org.assertj.core.api.Assertions.assertThat;

@ControlPlaneTest
class LoopbackIT {

	@Test
	@EnabledOnOs(OS.LINUX)
	void nothingOfOursListensOnAnotherAddress(ControlPlane controlPlane) throws IOException {
		long etcd = controlPlane.etcd().process().pid().orElseThrow();
		long apiServer = controlPlane.apiServer().process().pid().orElseThrow();
		try (TcpProxy proxy = TcpProxy.to(controlPlane.apiServer())) {
			String proxyPort = ":%04X".formatted(proxy.port());
			// The client and the peer port; the secure port; the proxy, and what this JVM
			// has besides.
			assertThat(Listening.addresses(etcd)).hasSize(2).allMatch(Listening::isLoopback);
			assertThat(Listening.addresses(apiServer)).hasSize(1).allMatch(Listening::isLoopback);
			assertThat(Listening.addresses(ProcessHandle.current().pid())).anyMatch((it) -> it.endsWith(proxyPort))
				.allMatch(Listening::isLoopback);
		}
	}

	@Test
	@EnabledOnOs(OS.LINUX)
	void seesSocketsOnOtherAddresses() throws IOException {
		try (ServerSocket everywhere = new ServerSocket(0)) {
			String port = ":%04X".formatted(everywhere.getLocalPort());
			List<String> exposed = Listening.addresses(ProcessHandle.current().pid())
				.stream()
				.filter((address) -> !Listening.isLoopback(address))
				.toList();
			assertThat(exposed).anyMatch((address) -> address.endsWith(port));
		}
	}

	@Test
	void takesOtherPortsWhenOthersWereFaster() throws IOException {
		try (ServerSocket etcdTaken = loopback(); ServerSocket serverTaken = loopback()) {
			// The first attempt fails in etcd, the second in the API server, the third
			// succeeds.
			List<Integer> ports = Stream
				.of(etcdTaken.getLocalPort(), Ports.next(), Ports.next(), Ports.next(), Ports.next(),
						serverTaken.getLocalPort(), Ports.next(), Ports.next(), Ports.next())
				.toList();
			AtomicInteger next = new AtomicInteger();
			try (ControlPlane controlPlane = ControlPlane.builder()
				.ports(() -> ports.get(next.getAndIncrement()))
				.start()) {
				assertThat(next).hasValue(9);
				assertThat(controlPlane.apiServer().port()).isEqualTo(ports.get(8));
				assertThat(controlPlane.client().raw("/readyz")).isEqualTo("ok");
			}
		}
	}

	private static ServerSocket loopback() throws IOException {
		return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
	}

}
