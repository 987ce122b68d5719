# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Certificates (EC P-256: made in a moment), the key pair that signs the tokens
# of ServiceAccounts, and kubeconfig files.  All in $PKI_DIR.

make_key() { openssl ecparam -name prime256v1 -genkey -noout -out "$PKI_DIR/$1.key"; }

make_ca() {
	make_key ca
	openssl req -x509 -new -key "$PKI_DIR/ca.key" -days 3650 \
		-subj /CN=kubernetes-ca -out "$PKI_DIR/ca.crt" \
		-addext basicConstraints=critical,CA:TRUE \
		-addext keyUsage=critical,keyCertSign,cRLSign,digitalSignature
}

# make_cert NAME SUBJECT USAGE [NAMES]: a certificate signed by the CA.
# (The serial number is random: jobs that run at once share no counter.)
make_cert() {
	make_key "$1"
	openssl req -new -key "$PKI_DIR/$1.key" -subj "$2" |
		openssl x509 -req -CA "$PKI_DIR/ca.crt" -CAkey "$PKI_DIR/ca.key" \
			-set_serial "0x$(openssl rand -hex 16)" -days 3650 \
			-out "$PKI_DIR/$1.crt" -extfile <(
				echo keyUsage=critical,digitalSignature
				echo "extendedKeyUsage=$3"
				[[ ! ${4:-} ]] || echo "subjectAltName=$4"
			) 2>/dev/null
}

# make_kubeconfig NAME FILE HOST: the certificate NAME as a kubeconfig
make_kubeconfig() {
	(
		umask 077
		cat >"$2" <<-EOF
		apiVersion: v1
		kind: Config
		clusters:
		- name: slurm-k8s
		  cluster:
		    server: https://$3:$API_PORT
		    certificate-authority-data: $(base64 -w0 "$PKI_DIR/ca.crt")
		users:
		- name: $1
		  user:
		    client-certificate-data: $(base64 -w0 "$PKI_DIR/$1.crt")
		    client-key-data: $(base64 -w0 "$PKI_DIR/$1.key")
		contexts:
		- name: slurm-k8s
		  context: {cluster: slurm-k8s, user: $1}
		current-context: slurm-k8s
		EOF
	)
}

make_client() {
	make_cert "$1" "$2" clientAuth
	make_kubeconfig "$1" "$PKI_DIR/$1.kubeconfig" "$3"
}

# make_pki NODES: everything for a cluster of so many nodes
make_pki() {
	local svc=kubernetes.default.svc n
	mkdir -p "$PKI_DIR"
	make_ca
	make_cert apiserver /CN=kube-apiserver serverAuth \
		"DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:$svc,DNS:$svc.cluster.local,IP:127.0.0.1,IP:$HOST_IP,IP:$SERVICE_API_IP"
	make_cert kubelet-client /O=system:masters/CN=kube-apiserver-kubelet-client clientAuth
	make_client admin /O=system:masters/CN=admin 127.0.0.1
	make_client controller-manager /CN=system:kube-controller-manager 127.0.0.1
	make_client scheduler /CN=system:kube-scheduler 127.0.0.1
	for ((n = 1; n <= $1; n++)); do
		make_client "k8s-$n" "/O=system:nodes/CN=system:node:k8s-$n" "$HOST_IP"
	done
	make_key sa
	openssl ec -in "$PKI_DIR/sa.key" -pubout -out "$PKI_DIR/sa.pub" 2>/dev/null
	chmod 600 "$PKI_DIR"/*.key
	chmod 644 "$PKI_DIR"/*.crt
	mv "$PKI_DIR/admin.kubeconfig" "$ADMIN"
}
