package dev.sharding.controlplane;

import java.io.IOException;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

class InstalledControlPlaneIT {

	@Test
	void programsRun() throws IOException {
		assumeThat(NamedCluster.find()).isEmpty();
		Optional<ControlPlaneBinaries> binaries = ControlPlaneBinaries.locate();
		assertThat(binaries).isPresent();
		assertThat(Program.KUBE_APISERVER.ask(binaries.get().kubeApiserver().getParent())).startsWith("Kubernetes v");
		assertThat(Program.ETCD.ask(binaries.get().etcd().getParent())).startsWith("etcd Version: ");
		assertThat(Program.KUBECTL.ask(binaries.get().kubectl().getParent())).startsWith("Client Version: v");
	}

}
